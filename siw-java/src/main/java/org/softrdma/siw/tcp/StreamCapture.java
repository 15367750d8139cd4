// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.softrdma.host.capture.CaptureFile;
import org.softrdma.wire.pcap.SynthesizedHeaders;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Tcp;

/**
 * The capture of a device's streams: what the device reads and writes, as TCP segments that Wireshark reads, beginning with the three of
 * TCP's handshake. {@linkplain SynthesizedHeaders Headers are synthesised}: sequence numbers count from 0 in both directions, each segment
 * is as long as one read or write was and acknowledges everything before. For the device's owner.
 */
public final class StreamCapture implements AutoCloseable {
    /** Payload that fits into an IPv4 packet and an IPv6 packet. */
    static final int MOST_BYTES = 65_480;

    private static final int IPV6_BYTES = 16;
    private static final int HEADROOM = Ethernet.LENGTH + Ipv6.LENGTH + Tcp.LENGTH;

    private final CaptureFile file;
    private final ByteBuffer frame = ByteBuffer.allocate(HEADROOM + MOST_BYTES);

    /**
     * Starts a capture.
     *
     * @param epochNs     nanoseconds since 1970
     * @param description of the interface
     * @throws org.softrdma.verbs.VerbsException EIO if the file cannot be written
     */
    public StreamCapture(Path file, LongSupplier epochNs, String description) {
        this.file = new CaptureFile(file, epochNs, description);
    }

    /** Returns streams that flush the file when they are polled. */
    public Streams over(Streams streams) {
        return new CapturedStreams(streams, file);
    }

    /**
     * Returns a stream that is captured from now on.
     *
     * @param initiated this end has connected
     */
    ByteStream over(ByteStream stream, InetSocketAddress local, InetSocketAddress remote, boolean initiated) {
        return new CapturedStream(stream, this, local, remote, initiated);
    }

    /** Writes the rest, and closes the file. */
    @Override
    public void close() {
        file.close();
    }

    /** Number of segments. */
    long captured() {
        return file.captured();
    }

    /**
     * Writes a segment.
     *
     * @param sequence u32
     * @param payload  may be null if {@code length} is 0
     * @param length   at most {@link #MOST_BYTES}
     */
    void write(InetSocketAddress from, InetSocketAddress to, int sequence, int acknowledge, int flags, ByteBuffer payload, int offset,
            int length) {
        Tcp.put(frame, HEADROOM - Tcp.LENGTH, from.getPort(), to.getPort(), sequence, acknowledge, flags);
        if (length > 0) {
            frame.put(HEADROOM, payload, offset, length);
        }
        int start = from.getAddress() instanceof Inet4Address ? putIpv4(from, to, length) : putIpv6(from, to, length);
        file.write(frame, start, HEADROOM - start + length);
    }

    private int putIpv4(InetSocketAddress from, InetSocketAddress to, int length) {
        int tcp = HEADROOM - Tcp.LENGTH;
        int ip = tcp - Ipv4.LENGTH;
        int start = SynthesizedHeaders.putIpv4(frame, ip, 0, Tcp.LENGTH + length, 0, Tcp.PROTOCOL, bytes(from).getInt(0),
            bytes(to).getInt(0));
        Tcp.putChecksum(frame, tcp, ip + Ipv4.SOURCE_OFFSET, 2 * Integer.BYTES, Tcp.LENGTH + length);
        return start;
    }

    private int putIpv6(InetSocketAddress from, InetSocketAddress to, int length) {
        int tcp = HEADROOM - Tcp.LENGTH;
        int ip = tcp - Ipv6.LENGTH;
        ByteBuffer source = bytes(from);
        ByteBuffer destination = bytes(to);
        int start = SynthesizedHeaders.putIpv6(frame, ip, 0, Tcp.LENGTH + length, Tcp.PROTOCOL, source.getLong(0), source.getLong(8),
            destination.getLong(0), destination.getLong(8));
        Tcp.putChecksum(frame, tcp, ip + Ipv6.SOURCE_OFFSET, 2 * IPV6_BYTES, Tcp.LENGTH + length);
        return start;
    }

    private static ByteBuffer bytes(InetSocketAddress of) {
        return ByteBuffer.wrap(of.getAddress().getAddress());
    }

    /** Streams with a capture file. */
    private record CapturedStreams(Streams streams, CaptureFile file) implements Streams {
        @Override
        public int poll() {
            int count = streams.poll();
            file.flushInTime();
            return count;
        }

        @Override
        public void await(long timeoutNs) {
            file.flushInTime();
            streams.await(timeoutNs);
        }

        @Override
        public void wakeup() {
            streams.wakeup();
        }

        @Override
        public void alsoWakeBy(int fd) {
            streams.alsoWakeBy(fd);
        }

        @Override
        public void close() {
            streams.close();
        }
    }
}
