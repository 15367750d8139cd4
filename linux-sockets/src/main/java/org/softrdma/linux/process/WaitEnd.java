// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.provider.Interruption;

/**
 * Ends the wait of one thread at a time in poll(2): an event descriptor to be waited for with others, which is written when the thread is
 * interrupted, or by {@link #signal}. Source: eventfd(2).
 */
final class WaitEnd implements AutoCloseable {
    private static final MethodHandle EVENTFD = CLibrary.function("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MemorySegment ONE = Arena.global().allocateFrom(JAVA_LONG, 1);

    private final int fd;
    private final MemorySegment drained = Arena.ofAuto().allocate(JAVA_LONG);
    private final Interruption interruption = new Interruption(this::signal);

    /**
     * Opens the descriptor.
     *
     * @throws VerbsException EMFILE: the process has no more descriptors
     */
    WaitEnd() {
        CLibrary library = CLibrary.current();
        int made;
        try {
            made = library.result((int) EVENTFD.invokeExact(library.state, 0, CLibrary.O_NONBLOCK | CLibrary.O_CLOEXEC));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
        fd = CLibrary.check(made, "eventfd", "the limit is ulimit -n");
    }

    int fd() {
        return fd;
    }

    /** The calling thread is about to wait. If it is interrupted already, the descriptor is ready. */
    void begin() {
        interruption.beginWait();
    }

    /** The calling thread waits no longer. */
    void end() {
        interruption.endWait();
        Descriptors.read(fd, drained, Long.BYTES);
    }

    /** Ends the wait that was begun. Any thread. */
    void signal() {
        Descriptors.write(fd, ONE, Long.BYTES);
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
    }
}
