// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.capture;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.pcap.Pcapng;

/**
 * A pcapng file of Ethernet frames or InfiniBand packets. They wait in a buffer of 1 MiB, which is written when it is full, at close, and
 * by the first call of {@link #flushInTime} 100 ms after the last write. If writing fails, the capture ends with one warning, and
 * {@link #missed()} continues to count. Not thread-safe.
 */
public final class CaptureFile implements AutoCloseable {
    /** Environment variable that names a directory for the captures of all devices. */
    public static final String DIRECTORY_VARIABLE = "SOFTRDMA_CAPTURE_DIR";

    private static final System.Logger LOG = System.getLogger(CaptureFile.class.getName());
    private static final int BUFFER_BYTES = 1 << 20;
    private static final long FLUSH_AFTER_NS = 100_000_000;

    private final String file;
    private final FileOutputStream stream;
    private final LongSupplier epochNs;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private int filled;
    private long writtenNs;
    private long captured;
    private long unwritten;
    private long missed;
    private boolean broken;
    private boolean closed;

    /**
     * Starts a capture of Ethernet frames.
     *
     * @param file        is created, or replaced
     * @param epochNs     the clock: nanoseconds since 1970; a simulation passes its own
     * @param description of the interface
     * @throws VerbsException EIO if the file cannot be written
     */
    public CaptureFile(Path file, LongSupplier epochNs, String description) {
        this(file, epochNs, description, Pcapng.LINK_ETHERNET);
    }

    /**
     * Starts a capture.
     *
     * @param file        is created, or replaced
     * @param epochNs     the clock: nanoseconds since 1970; a simulation passes its own
     * @param description of the interface
     * @param linkType    one of {@link Pcapng}'s: which header packets begin with
     * @throws VerbsException EIO if the file cannot be written
     */
    public CaptureFile(Path file, LongSupplier epochNs, String description, int linkType) {
        this.file = file.toString();
        this.epochNs = epochNs;
        try {
            // Not a FileChannel: interrupting a thread that drives the device would close that.
            stream = new FileOutputStream(file.toFile());
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, "open_device", "capture file: " + e.getMessage(), e);
        }
        writtenNs = epochNs.getAsLong();
        int at = Pcapng.putSectionHeader(buffer, 0);
        filled = Pcapng.putInterface(buffer, at, linkType, 0, description);
    }

    /** Returns the file for a device's capture, or null if {@link #DIRECTORY_VARIABLE} is not set. */
    public static Path requested(String device) {
        String directory = System.getenv(DIRECTORY_VARIABLE);
        return directory == null ? null : Path.of(directory, device + "-" + ProcessHandle.current().pid() + ".pcapng");
    }

    /** Returns a clock of nanoseconds since 1970. */
    public static LongSupplier systemClock() {
        long offsetNs = System.currentTimeMillis() * 1_000_000L - System.nanoTime();
        return () -> offsetNs + System.nanoTime();
    }

    /** Writes a frame that begins with the header of the link type. */
    public void write(ByteBuffer frame, int offset, int length) {
        int needed = Pcapng.packetBlockLength(length);
        if (needed > BUFFER_BYTES - filled) {
            flush();
        }
        if (broken || closed || needed > BUFFER_BYTES) {
            missed++;
            return;
        }
        filled = Pcapng.putPacket(buffer, filled, 0, epochNs.getAsLong(), frame, offset, length);
        captured++;
        unwritten++;
    }

    /** Writes the buffer to the file if the last time is long enough ago. */
    public void flushInTime() {
        if (filled > 0 && epochNs.getAsLong() - writtenNs >= FLUSH_AFTER_NS) {
            flush();
        }
    }

    private void flush() {
        writtenNs = epochNs.getAsLong();
        if (filled == 0 || broken) {
            return;
        }
        try {
            stream.write(buffer.array(), 0, filled);
        } catch (IOException e) {
            broken = true;
            captured -= unwritten;
            missed += unwritten;
            LOG.log(System.Logger.Level.WARNING, "capture to " + file + " ends after " + captured + " packets: " + e.getMessage());
        }
        filled = 0;
        unwritten = 0;
    }

    /** Frames in the file or in the buffer. */
    public long captured() {
        return captured;
    }

    /** Frames that were not captured because writing failed. */
    public long missed() {
        return missed;
    }

    /** Writes the rest of the buffer, and closes the file. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        flush();
        closed = true;
        try {
            stream.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "capture to " + file + ": " + e.getMessage());
        }
    }

    @Override
    public String toString() {
        return file;
    }
}
