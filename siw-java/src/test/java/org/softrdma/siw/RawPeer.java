// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.VirtualClock;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.siw.mpa.StreamSink;
import org.softrdma.siw.tcp.ByteStream;

/**
 * The peer of one queue pair, with every byte under the test's control. Frames (length, pad, CRC, no markers) are composed and parsed here,
 * independently of the code under test.
 */
final class RawPeer {
    final VirtualClock clock = new VirtualClock(1);
    final Simulation simulation = new Simulation(clock);
    public final SiwPair.Side side;
    final Stream stream = new Stream();
    private final boolean crc;
    private int read;

    /** Records the bytes that the queue pair sends, and delivers the test's bytes immediately. */
    static final class Stream implements ByteStream {
        final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        private final List<byte[]> waiting = new ArrayList<>();
        private Listener listener;
        private boolean ended;
        private boolean endDelivered;
        boolean closed;
        boolean aborted;
        /** Number of bytes that the stream still accepts. */
        int room = Integer.MAX_VALUE;

        /** Delivers bytes of the peer. */
        void bring(byte[] bytes) {
            waiting.add(bytes);
            listener.ring();
        }

        /** Delivers bytes of the peer in pieces whose lengths are derived from the bytes. */
        void bringInPieces(byte[] bytes) {
            int at = 0;
            while (at < bytes.length) {
                int end = Math.min(bytes.length, at + 1 + (bytes[at] & 0x3f));
                bring(Arrays.copyOfRange(bytes, at, end));
                at = end;
            }
        }

        /** Delivers the end of the peer's side. */
        void end() {
            ended = true;
            listener.ring();
        }

        @Override
        public void listener(Listener to) {
            listener = to;
        }

        @Override
        public boolean poll(StreamSink sink) {
            while (!waiting.isEmpty()) {
                byte[] bytes = waiting.removeFirst();
                ByteBuffer b = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
                if (!sink.onBytes(b, MemorySegment.ofBuffer(b), 0, bytes.length)) {
                    return false;
                }
            }
            boolean endsNow = ended && !endDelivered;
            endDelivered |= endsNow;
            return endsNow;
        }

        @Override
        public void send(StreamBuffer from) {
            int count = Math.min(room, from.length());
            byte[] bytes = new byte[count];
            from.bytes().get(from.start(), bytes);
            from.took(count);
            sent.writeBytes(bytes);
            room -= count;
        }

        @Override
        public int emss() {
            return 1448;
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public void abort() {
            aborted = true;
        }
    }

    RawPeer(SiwPair.Setup setup) {
        crc = setup.crc;
        side = new SiwPair.Side(simulation, new SplittableRandom(7), setup);
        fillSendBuffer();
        StreamParameters parameters = new StreamParameters(setup.crc, false, setup.markersToA, setup.maxUlpdu);
        SiwPair.connect(side, stream, parameters, setup, setup.first, setup.sendNotBeforeNs);
    }

    RawPeer() {
        this(new SiwPair.Setup());
    }

    /** Fills the buffer that frames will be written to: a byte of a frame that is not written is not zero by chance. */
    private void fillSendBuffer() {
        StreamBuffer buffer = side.engine.sendBuffers().take();
        buffer.memory().fill((byte) 0xa5);
        side.engine.sendBuffers().giveBack(buffer);
    }

    /** Runs the simulation until all pending work is done. */
    void run() {
        simulation.runFor(1_000);
    }

    /** Sends a ULPDU of the peer. */
    public void send(String hex) {
        sendBytes(frame(bytes(hex)));
    }

    void sendBytes(byte[] bytes) {
        stream.bring(bytes);
        run();
    }

    /** Closes the peer's side of the stream. */
    void end() {
        stream.end();
        run();
    }

    byte[] frame(byte[] ulpdu) {
        return frame(ulpdu, crc);
    }

    static byte[] frame(byte[] ulpdu, boolean crc) {
        int padded = 2 + ulpdu.length + 3 & ~3;
        ByteBuffer b = ByteBuffer.allocate(padded + 4).putShort(0, (short) ulpdu.length).put(2, ulpdu);
        if (crc) {
            CRC32C sum = new CRC32C();
            sum.update(b.array(), 0, padded);
            b.putInt(padded, Integer.reverseBytes((int) sum.getValue()));
        }
        return b.array();
    }

    /** Returns the next ULPDU of the queue pair in hexadecimal digits, or null. */
    String next() {
        run();
        ByteBuffer b = ByteBuffer.wrap(stream.sent.toByteArray());
        if (b.capacity() == read) {
            return null;
        }
        byte[] ulpdu = new byte[b.getShort(read) & 0xFFFF];
        b.get(read + 2, ulpdu);
        byte[] whole = new byte[2 + ulpdu.length + 3 & ~3];
        b.get(read, whole);
        byte[] expected = frame(ulpdu);
        byte[] actual = new byte[expected.length];
        b.get(read, actual);
        assertEquals(HexFormat.of().formatHex(expected), HexFormat.of().formatHex(actual), "framing");
        read += expected.length;
        return HexFormat.of().formatHex(ulpdu);
    }

    /** Returns all ULPDUs of the queue pair that were not returned before. */
    List<String> rest() {
        List<String> all = new ArrayList<>();
        for (String each = next(); each != null; each = next()) {
            all.add(each);
        }
        return all;
    }

    /** Returns what the queue pair's flight recorder has. */
    List<RecordedEvent> recorded() {
        List<RecordedEvent> events = new ArrayList<>();
        FlightRecorder.of(side.context).record().tracks().forEach(track -> events.addAll(track.events()));
        return events;
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }

    static byte[] concat(byte[] a, byte[] b) {
        byte[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    static String plain(String hex) {
        return hex.replaceAll("\\s", "");
    }
}
