// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import org.softrdma.wire.pcap.Pcapng;

/** The last frames of a fabric, for a capture file. Bounded by their bytes: beyond them the oldest are forgotten. */
final class PacketLog {
    private static final long MAX_BYTES = 64L << 20;
    private static final int BLOCK_BYTES = 1 << 17;

    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private long bytes;

    private record Entry(long timeNs, byte[] frame) {
    }

    /**
     * Adds a frame.
     *
     * @param buffer holds the frame, from its Ethernet header on; it is copied
     */
    void add(long timeNs, ByteBuffer buffer, int offset, int length) {
        byte[] frame = new byte[length];
        buffer.get(offset, frame);
        entries.add(new Entry(timeNs, frame));
        bytes += length;
        while (bytes > MAX_BYTES) {
            bytes -= entries.remove().frame.length;
        }
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Writes a pcapng file; its directory is created. */
    void write(Path file, String name) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            flush(out, block, Pcapng.putInterface(block, Pcapng.putSectionHeader(block, 0), Pcapng.LINK_ETHERNET, 0, name));
            for (Entry each : entries) {
                flush(out, block, Pcapng.putPacket(block, 0, 0, each.timeNs, ByteBuffer.wrap(each.frame), 0, each.frame.length));
            }
        }
    }

    private static void flush(FileChannel out, ByteBuffer block, int end) throws IOException {
        block.position(0).limit(end);
        while (block.hasRemaining()) {
            out.write(block);
        }
        block.clear();
    }
}
