// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;
import org.softrdma.wire.pcap.PcapngReader;

class StreamCaptureTest {
    private static final int ETHERNET = 14;

    @TempDir
    private Path directory;
    private final Scripted inner = new Scripted();

    /** A stream that accepts a limited number of bytes, and delivers what it is given. */
    private static final class Scripted implements ByteStream {
        private int room = Integer.MAX_VALUE;
        private byte[] waiting = {};
        private boolean ended;

        @Override
        public void listener(Listener listener) {
        }

        @Override
        public boolean poll(StreamSink sink) {
            if (waiting.length > 0) {
                ByteBuffer b = ByteBuffer.wrap(waiting);
                waiting = new byte[0];
                sink.onBytes(b, MemorySegment.ofBuffer(b), 0, b.capacity());
            }
            return ended;
        }

        @Override
        public int emss() {
            return 1448;
        }

        @Override
        public void send(StreamBuffer from) {
            from.took(Math.min(room, from.length()));
        }

        @Override
        public void close() {
        }

        @Override
        public void abort() {
        }
    }

    private static InetSocketAddress at(String address, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(address), port);
    }

    private static StreamBuffer buffer(int bytes) {
        StreamBuffer out = new StreamBuffer(bytes);
        for (int i = 0; i < bytes; i++) {
            out.bytes().put(i, (byte) i);
        }
        out.wrote(bytes);
        return out;
    }

    /** One line for each segment: ports, sequence numbers, flags and payload length, read by the offsets of RFC 791, 8200 and 9293. */
    private static List<String> segments(Path file) throws IOException {
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(Files.readAllBytes(file)));
        List<String> lines = new ArrayList<>();
        while (reader.next()) {
            ByteBuffer b = reader.buffer();
            int ip = reader.offset() + ETHERNET;
            boolean ipv4 = (b.get(ip) & 0xff) == 0x45;
            int tcp = ip + (ipv4 ? 20 : 40);
            int length = ipv4 ? b.getShort(ip + 2) - 40 & 0xffff : b.getShort(ip + 4) - 20 & 0xffff;
            assertEquals(reader.length(), tcp + 20 + length - reader.offset());
            assertEquals(6, b.get(ip + (ipv4 ? 9 : 6)));
            assertEquals(0xffff, checksum(b, ip + (ipv4 ? 12 : 8), tcp, length + 20), "checksum");
            lines.add(String.format(Locale.ROOT, "%d>%d seq %d ack %d flags %02x %d bytes", b.getShort(tcp) & 0xffff,
                b.getShort(tcp + 2) & 0xffff, b.getInt(tcp + 4), b.getInt(tcp + 8), b.get(tcp + 13), length));
        }
        return lines;
    }

    /** Sum of the pseudo-header and the segment: all ones if the checksum is right. */
    private static int checksum(ByteBuffer b, int addresses, int tcp, int length) {
        long sum = 6 + length;
        for (int i = addresses; i < tcp; i += 2) {
            sum += b.getShort(i) & 0xffff;
        }
        for (int i = 0; i < length; i++) {
            sum += (b.get(tcp + i) & 0xff) << (i % 2 == 0 ? 8 : 0);
        }
        while (sum > 0xffff) {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        return (int) sum;
    }

    @Test
    void shouldWriteAConnectionFromItsBeginningToItsEnd() throws Exception {
        Path file = directory.resolve("a.pcapng");
        StreamCapture capture = new StreamCapture(file, () -> 0, "siw0");
        ByteStream stream = capture.over(inner, at("10.0.0.1", 40_000), at("10.0.0.2", 7174), true);

        stream.listener(null);
        stream.listener(null);
        inner.room = 30;
        StreamBuffer out = buffer(100);
        stream.send(out);
        assertEquals(70, out.length());
        stream.send(out);
        inner.waiting = new byte[200_000];
        stream.poll((b, memory, from, to) -> true);
        stream.close();
        inner.ended = true;
        assertTrue(stream.poll((b, memory, from, to) -> true));
        stream.abort();
        stream.abort();
        capture.close();

        assertEquals(List.of("40000>7174 seq 0 ack 0 flags 02 0 bytes", "7174>40000 seq 0 ack 1 flags 12 0 bytes",
            "40000>7174 seq 1 ack 1 flags 10 0 bytes", "40000>7174 seq 1 ack 1 flags 18 30 bytes",
            "40000>7174 seq 31 ack 1 flags 18 30 bytes", "7174>40000 seq 1 ack 61 flags 18 65480 bytes",
            "7174>40000 seq 65481 ack 61 flags 18 65480 bytes", "7174>40000 seq 130961 ack 61 flags 18 65480 bytes",
            "7174>40000 seq 196441 ack 61 flags 18 3560 bytes", "40000>7174 seq 61 ack 200001 flags 11 0 bytes",
            "7174>40000 seq 200001 ack 62 flags 11 0 bytes"), segments(file));
    }

    @Test
    void shouldWriteTheBytesOfAnAcceptedIpv6ConnectionAndItsReset() throws Exception {
        Path file = directory.resolve("b.pcapng");
        StreamCapture capture = new StreamCapture(file, () -> 0, "siw0");
        ByteStream stream = capture.over(inner, at("fd00::1", 7174), at("fd00::2", 40_000), false);

        stream.listener(null);
        stream.send(buffer(5));
        stream.abort();
        stream.send(buffer(5));
        capture.close();

        assertEquals(List.of("40000>7174 seq 0 ack 0 flags 02 0 bytes", "7174>40000 seq 0 ack 1 flags 12 0 bytes",
            "40000>7174 seq 1 ack 1 flags 10 0 bytes", "7174>40000 seq 1 ack 1 flags 18 5 bytes",
            "7174>40000 seq 6 ack 1 flags 14 0 bytes"), segments(file));
        assertTrue(HexFormat.of().formatHex(Files.readAllBytes(file)).contains("0001020304"));
    }
}
