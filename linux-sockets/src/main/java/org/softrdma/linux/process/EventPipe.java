// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Objects;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;

/**
 * A pipe that stands for an event file of a program: the program reads and polls its end natively, and this process writes whole records
 * at the other end. The two ends are separate open files, so a program's O_NONBLOCK does not concern the writer.
 *
 * <p>Each pipe is guarded by its monitor; writing allocates nothing. Calls after {@link #close} have no effect. Source: pipe(7).
 */
public final class EventPipe implements AutoCloseable {
    /** A record is written whole up to this length (PIPE_BUF). */
    public static final int MAX_RECORD_BYTES = 4096;
    /** Bytes that a pipe holds unless the kernel is asked for more. */
    public static final int CAPACITY_BYTES = 65536;

    static final int POLLIN = 1;
    static final int POLLERR = 8;

    private static final MethodHandle PIPE2 = CLibrary.function("pipe2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle POLL = CLibrary.function("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));

    private final FileIdentity identity;
    private final MemorySegment record = Arena.ofAuto().allocate(JAVA_LONG, 2);
    private int reader;
    private int writer;
    /** Space for all records, allocated when they are first drained. */
    private MemorySegment drained;

    /**
     * Opens a pipe.
     *
     * @throws VerbsException EMFILE: this process has no more descriptors
     */
    public EventPipe() {
        CLibrary library = CLibrary.current();
        try {
            CLibrary.check(library.result((int) PIPE2.invokeExact(library.state, library.small, CLibrary.O_CLOEXEC)), "pipe", "event file");
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
        reader = library.small.get(JAVA_INT, 0);
        writer = library.small.get(JAVA_INT, Integer.BYTES);
        Descriptors.setNonBlocking(writer);
        identity = FileIdentity.ofOwn(writer);
    }

    /** The program's end, until {@link #closeReader}; then -1. */
    public synchronized int reader() {
        return reader;
    }

    /** This process's end: an {@link EpollSet} reports an error for it when all copies of the program's end are closed. */
    public synchronized int writer() {
        return writer;
    }

    /** Closes this process's copy of the program's end, after the program has its own. */
    public synchronized void closeReader() {
        if (reader >= 0) {
            LinuxSockets.close(reader);
            reader = -1;
        }
    }

    /** The identity that {@link ProcessInfo#identify} finds for copies of either end. */
    public FileIdentity identity() {
        return identity;
    }

    /** The text of the link of either end below /proc: {@code pipe:[inode]}. */
    public String linkText() {
        return "pipe:[" + Long.toUnsignedString(identity.inode()) + ']';
    }

    /**
     * Writes one record, or nothing.
     *
     * @return false if the pipe is full, or no reader is left
     */
    public synchronized boolean write(MemorySegment from, long offset, int bytes) {
        Objects.checkFromIndexSize(offset, bytes, from.byteSize());
        Objects.checkIndex(bytes, MAX_RECORD_BYTES + 1);
        return writer >= 0 && Descriptors.write(writer, from.asSlice(offset, bytes), bytes) == bytes;
    }

    /** Writes a record of 8 bytes, in the byte order of this host. */
    public synchronized boolean write(long value) {
        record.set(JAVA_LONG, 0, value);
        return writer >= 0 && Descriptors.write(writer, record, Long.BYTES) == Long.BYTES;
    }

    /** Writes a record of 16 bytes, in the byte order of this host. */
    public synchronized boolean write(long first, long second) {
        record.set(JAVA_LONG, 0, first);
        record.set(JAVA_LONG, Long.BYTES, second);
        return writer >= 0 && Descriptors.write(writer, record, 2 * Long.BYTES) == 2 * Long.BYTES;
    }

    /** Writes one byte, which only makes the program's end readable. */
    public synchronized boolean writeByte() {
        return writer >= 0 && Descriptors.write(writer, record, 1) == 1;
    }

    /**
     * Takes out bytes that the program has not read.
     *
     * @param to receives them
     * @return bytes taken out, 0 if there are none
     */
    public synchronized int drain(MemorySegment to) {
        if (writer < 0) {
            return 0;
        }
        int again = Descriptors.reopen(writer, Descriptors.O_NONBLOCK);
        if (again < 0) {
            return 0;
        }
        int taken = (int) Math.max(0, Descriptors.read(again, to, to.byteSize()));
        LinuxSockets.close(again);
        return taken;
    }

    /**
     * Takes out the unread records of one object. The others stay in their order; a program that reads meanwhile may find the pipe empty
     * for a moment.
     *
     * @param element     the first 8 bytes of the object's records
     * @param recordBytes length of every record in this pipe, 8 or 16
     * @return records taken out
     */
    public synchronized int purge(long element, int recordBytes) {
        if (drained == null) {
            drained = Arena.ofAuto().allocate(CAPACITY_BYTES, 8);
        }
        int taken = drain(drained);
        int kept = 0;
        for (int at = 0; at + recordBytes <= taken; at += recordBytes) {
            if (drained.get(JAVA_LONG, at) != element) {
                MemorySegment.copy(drained, at, drained, kept, recordBytes);
                kept += recordBytes;
            }
        }
        for (int at = 0; at < kept; at += MAX_RECORD_BYTES) {
            int piece = Math.min(MAX_RECORD_BYTES, kept - at);
            Descriptors.write(writer, drained.asSlice(at, piece), piece);
        }
        return (taken - kept) / recordBytes;
    }

    /** Whether all copies of the program's end are closed, in all processes. */
    public synchronized boolean hasNoReader() {
        return writer < 0 || (events(writer, 0) & POLLERR) != 0;
    }

    /** Polls one descriptor without waiting. */
    static int events(int fd, int wanted) {
        CLibrary library = CLibrary.current();
        MemorySegment pollfd = library.small;
        pollfd.set(JAVA_INT, 0, fd);
        pollfd.set(JAVA_SHORT, 4, (short) wanted);
        pollfd.set(JAVA_SHORT, 6, (short) 0);
        try {
            int ready = (int) POLL.invokeExact(library.state, pollfd, 1L, 0);
            return ready <= 0 ? 0 : pollfd.get(JAVA_SHORT, 6);
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Closes both ends: programs that read find the end of the file. */
    @Override
    public synchronized void close() {
        closeReader();
        if (writer >= 0) {
            LinuxSockets.close(writer);
            writer = -1;
        }
    }
}
