// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;

/**
 * Functions of the C library, and for each thread the memory that calls need: where errno is captured, and a few small structures. After
 * the first call of a thread nothing is allocated.
 */
final class CLibrary {
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int ENOENT = 2;
    static final int ESRCH = 3;
    static final int EFAULT = 14;
    static final int EINVAL = 22;
    static final int ENAMETOOLONG = 36;
    static final int ENOSYS = 38;
    static final int ENOBUFS = 105;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0x40;
    static final int O_EXCL = 0x80;
    static final int O_NONBLOCK = 0x800;
    static final int O_CLOEXEC = 0x80000;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final long ERRNO =
        Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<CLibrary> CURRENT = ThreadLocal.withInitial(CLibrary::new);

    /** Where errno is captured. */
    final MemorySegment state;
    /** Space for the name of a file below /proc. */
    final ProcPath path;
    /** Space for the request of an ioctl, a signal set or the status of a child: {@link #SMALL_BYTES}. */
    final MemorySegment small;
    /** Space for the contents of a file below /proc, a link's text or a struct statx: {@link #TEXT_BYTES}. */
    final MemorySegment text;

    static final int SMALL_BYTES = 128;
    static final int TEXT_BYTES = 4096;

    private CLibrary() {
        Arena arena = Arena.ofAuto();
        state = arena.allocate(Linker.Option.captureStateLayout());
        path = new ProcPath(arena);
        small = arena.allocate(SMALL_BYTES, 8);
        text = arena.allocate(TEXT_BYTES, 8);
    }

    /** The calling thread's memory. */
    static CLibrary current() {
        return CURRENT.get();
    }

    /** Links a function whose first argument becomes the memory for errno. */
    static MethodHandle function(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, CAPTURE);
    }

    /** Links a function with a variable number of arguments, as {@link #function}. */
    static MethodHandle variadic(String name, FunctionDescriptor descriptor, int fixed) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, CAPTURE,
            Linker.Option.firstVariadicArg(fixed));
    }

    /** Finds a function or variable that not every C library has. */
    static Optional<MemorySegment> find(String name) {
        return LINKER.defaultLookup().find(name);
    }

    /** Converts what a call returned into its result or minus errno. */
    int result(int returned) {
        return returned >= 0 ? returned : -errno();
    }

    /** Converts what a call returned into its result or minus errno. */
    long result(long returned) {
        return returned >= 0 ? returned : -errno();
    }

    private int errno() {
        return state.get(JAVA_INT, ERRNO);
    }

    static AssertionError impossible(Throwable t) {
        return new AssertionError("a native call does not throw", t);
    }

    /**
     * Checks a result.
     *
     * @param result of a call: minus errno if negative
     * @return the result
     * @throws VerbsException the call failed; EIO for an errno that verbs do not define
     */
    static int check(int result, String call, String detail) {
        if (result < 0) {
            throw LinuxSockets.failure(-result, call, detail);
        }
        return result;
    }
}
