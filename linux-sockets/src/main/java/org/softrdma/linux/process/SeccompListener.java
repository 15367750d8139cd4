// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The listener of a {@link SeccompFilter}: receives the system calls that the filter notifies, and answers them, in any order and at any
 * later time. A call that is not answered blocks its thread, until a signal or the end of the thread cancels it.
 *
 * <p>The descriptor becomes readable with a notification, and reports a hang-up when all threads under the filter have ended. When it is
 * closed in all processes that hold it, calls that would be notified fail with ENOSYS. All methods may be called by several threads;
 * none allocates. Source: seccomp_unotify(2).
 */
public final class SeccompListener implements AutoCloseable {
    /** Number of {@link #answerWithDescriptor} and {@link #addDescriptor}: the lowest free one. */
    public static final int ANY_NUMBER = -1;

    private static final int RECV = 0xC0502100;
    private static final int SEND = 0xC0182101;
    private static final int ID_VALID = 0x40082102;
    private static final int ADDFD = 0x40182103;
    private static final int SET_FLAGS = 0x40082104;
    private static final long SYNC_WAKE_UP = 1;

    /** struct seccomp_notif_resp: u64 id, s64 val, s32 error, u32 flags. */
    private static final int RESPONSE_VALUE = 8;
    private static final int RESPONSE_ERROR = 16;
    private static final int RESPONSE_FLAGS = 20;
    private static final int RESPONSE_CONTINUE = 1;

    /** struct seccomp_notif_addfd: u64 id, u32 flags, u32 srcfd, u32 newfd, u32 newfd_flags. */
    private static final int ADD_FLAGS = 8;
    private static final int ADD_SOURCE = 12;
    private static final int ADD_NUMBER = 16;
    private static final int ADD_NEW_FLAGS = 20;
    private static final int ADD_SETFD = 1;
    private static final int ADD_SEND = 2;

    private static final MethodHandle IOCTL =
        CLibrary.variadic("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), 2);

    private static final MethodHandle SET_FLAGS_IOCTL =
        CLibrary.variadic("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG), 2);

    private final AtomicInteger fd;

    /**
     * Takes over a listener.
     *
     * @param fd from this process ({@link FilteredLaunch}) or received from another one; closed by {@link #close}
     */
    public SeccompListener(int fd) {
        this.fd = new AtomicInteger(fd);
    }

    /** The descriptor, for polling or for passing it to another process; -1 after {@link #close}. */
    public int fd() {
        return fd.get();
    }

    /**
     * Checks that the kernel can put descriptors into other processes.
     *
     * @throws VerbsException EOPNOTSUPP: the kernel is older than 5.9
     */
    public void requireDescriptors() {
        // The id 0 is never in use: ENOENT if the kernel knows the request, else EINVAL.
        int result = add(0, fd(), ANY_NUMBER, 0, false);
        if (result != -CLibrary.ENOENT) {
            throw new VerbsException(Errno.EOPNOTSUPP, "seccomp",
                "the kernel cannot add descriptors to a program (errno " + -result + "); Linux 5.9 or newer can");
        }
    }

    /**
     * Makes the kernel wake the receiving thread on the processor of the calling one, which waits for the answer anyway: a processor that
     * sleeps deeply takes longer to wake than the whole exchange. Holds for all copies of the descriptor; no effect before Linux 6.6.
     *
     * @return 0, or minus errno: EINVAL before Linux 6.6
     */
    int preferCallersProcessor() {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) SET_FLAGS_IOCTL.invokeExact(library.state, fd.get(), (long) SET_FLAGS, SYNC_WAKE_UP));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /**
     * Receives a notification. Blocks if there is none: poll for input first, and let one thread at a time poll and receive.
     * The thread that receives a call had better answer it too: waking another one takes longer than most answers.
     *
     * @param to overwritten
     * @return 1; 0 if the call was cancelled meanwhile or all threads under the filter have ended; or minus errno: the descriptor is no
     *     listener
     */
    public int receive(Notification to) {
        to.memory.fill((byte) 0);
        int result = ioctl(RECV, to.memory, CLibrary.current());
        if (result == -CLibrary.ENOENT || result == -CLibrary.EINTR) {
            return 0;
        }
        return result < 0 ? result : 1;
    }

    /**
     * Answers a call with its result.
     *
     * @param value what the system call returns, for an error in the C library's terms use {@link #fail}
     * @return false if the call was cancelled: the program has not seen the answer
     */
    public boolean answer(long id, long value) {
        return send(id, value, 0, 0);
    }

    /**
     * Answers a call with an error.
     *
     * @param errno positive
     * @return false if the call was cancelled
     */
    public boolean fail(long id, int errno) {
        return send(id, 0, -errno, 0);
    }

    /**
     * Lets the kernel execute the call as if there were no filter.
     *
     * @return false if the call was cancelled
     */
    public boolean resume(long id) {
        return send(id, 0, 0, RESPONSE_CONTINUE);
    }

    private boolean send(long id, long value, int error, int flags) {
        CLibrary library = CLibrary.current();
        MemorySegment response = library.small;
        response.set(JAVA_LONG, 0, id);
        response.set(JAVA_LONG, RESPONSE_VALUE, value);
        response.set(JAVA_INT, RESPONSE_ERROR, error);
        response.set(JAVA_INT, RESPONSE_FLAGS, flags);
        int result = ioctl(SEND, response, library);
        while (result == -CLibrary.EINTR) {
            result = ioctl(SEND, response, library);
        }
        return result == 0;
    }

    /**
     * Puts a copy of a descriptor into the calling program, which goes on waiting. Needed where a call returns a descriptor in memory.
     *
     * @param source descriptor of this process
     * @param number its number in the program, which closes the one that has it; or {@link #ANY_NUMBER}
     * @return the number in the program, or minus errno: ENOENT if the call was cancelled, EMFILE or EBADF if the program's limit of open
     *     files forbids it
     */
    public int addDescriptor(long id, int source, int number, boolean closeOnExec) {
        return add(id, source, number, 0, closeOnExec);
    }

    /**
     * Answers a call with a copy of a descriptor: the program receives its number as the result. On failure the call still waits.
     *
     * @param source descriptor of this process
     * @param number its number in the program, which closes the one that has it; or {@link #ANY_NUMBER}
     * @return the number in the program, or minus errno as {@link #addDescriptor}
     */
    public int answerWithDescriptor(long id, int source, int number, boolean closeOnExec) {
        int result = add(id, source, number, ADD_SEND, closeOnExec);
        if (result != -CLibrary.EINVAL) {
            return result;
        }
        // Before Linux 5.14 there are two steps; a program killed in between takes the descriptor along.
        int added = add(id, source, number, 0, closeOnExec);
        return added < 0 || answer(id, added) ? added : -CLibrary.ENOENT;
    }

    private int add(long id, int source, int number, int flags, boolean closeOnExec) {
        CLibrary library = CLibrary.current();
        MemorySegment request = library.small;
        request.set(JAVA_LONG, 0, id);
        request.set(JAVA_INT, ADD_FLAGS, number == ANY_NUMBER ? flags : flags | ADD_SETFD);
        request.set(JAVA_INT, ADD_SOURCE, source);
        request.set(JAVA_INT, ADD_NUMBER, number == ANY_NUMBER ? 0 : number);
        request.set(JAVA_INT, ADD_NEW_FLAGS, closeOnExec ? CLibrary.O_CLOEXEC : 0);
        int result = ioctl(ADDFD, request, library);
        while (result == -CLibrary.EINTR) {
            result = ioctl(ADDFD, request, library);
        }
        return result;
    }

    /**
     * Whether a call still waits. Checked after memory or /proc files of its thread were opened: the thread's number may belong to another
     * process since.
     */
    public boolean isValid(long id) {
        CLibrary library = CLibrary.current();
        library.small.set(JAVA_LONG, 0, id);
        return ioctl(ID_VALID, library.small, library) == 0;
    }

    private int ioctl(int request, MemorySegment argument, CLibrary library) {
        try {
            return library.result((int) IOCTL.invokeExact(library.state, fd.get(), request & 0xFFFFFFFFL, argument));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Closes the descriptor. A thread in {@link #receive} is not woken. */
    @Override
    public void close() {
        int open = fd.getAndSet(-1);
        if (open >= 0) {
            LinuxSockets.close(open);
        }
    }
}
