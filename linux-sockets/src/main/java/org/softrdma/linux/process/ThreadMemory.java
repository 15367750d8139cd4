// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;

/**
 * The memory of a thread that waits for an answer, by the thread's number, without opening a file. Meant for reading a path of most system
 * calls: {@link ProcessMemory} is for everything that outlives the call. One thread; nothing is allocated. Source: process_vm_readv(2).
 */
public final class ThreadMemory {
    /** Result of {@link #readString}: memory is not readable. */
    public static final int UNREADABLE = ProcessMemory.UNREADABLE;
    /** Result of {@link #readString}: there is no end within the bound. */
    public static final int TOO_LONG = ProcessMemory.TOO_LONG;
    /** Result of {@link #readString}: this process may not read the memory of that thread, or the thread is gone. */
    public static final int REFUSED = -1;

    private static final int PAGE_BYTES = 4096;
    /** Bytes of the first read: most paths are shorter. */
    private static final int FIRST_BYTES = 256;

    private static final MethodHandle SYSCALL = CLibrary.variadic("syscall",
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), 1);

    /** Two struct iovec: the local one and the remote one. */
    private final MemorySegment vectors = Arena.ofAuto().allocate(JAVA_LONG, 4);
    private final long number = Architecture.current().processVmReadv;

    /**
     * Reads bytes.
     *
     * @param to native memory
     * @return bytes read, fewer if the rest is not readable; or minus errno: EPERM, ESRCH, EFAULT
     */
    public int read(int tid, long address, MemorySegment to, long at, long bytes) {
        vectors.setAtIndex(JAVA_LONG, 0, to.address() + at);
        vectors.setAtIndex(JAVA_LONG, 1, bytes);
        vectors.setAtIndex(JAVA_LONG, 2, address);
        vectors.setAtIndex(JAVA_LONG, 3, bytes);
        CLibrary library = CLibrary.current();
        try {
            return (int) library.result((long) SYSCALL.invokeExact(library.state, number, (long) tid, vectors.address(), 1L,
                vectors.address() + 2 * Long.BYTES, 1L, 0L));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        } finally {
            Reference.reachabilityFence(to);
        }
    }

    /**
     * Reads a C string, and no page beyond the one with its end.
     *
     * @param to receives the bytes and the terminating zero; its size is the bound
     * @return length without the zero, {@link #UNREADABLE}, {@link #TOO_LONG} or {@link #REFUSED}
     */
    public int readString(int tid, long address, MemorySegment to) {
        int done = 0;
        while (done < to.byteSize()) {
            long inPage = PAGE_BYTES - (address + done & PAGE_BYTES - 1);
            long wanted = Math.min(to.byteSize() - done, done == 0 ? Math.min(FIRST_BYTES, inPage) : inPage);
            int read = read(tid, address + done, to, done, wanted);
            if (read <= 0) {
                return read == -CLibrary.EFAULT || read == 0 ? UNREADABLE : REFUSED;
            }
            for (int end = done + read; done < end; done++) {
                if (to.get(JAVA_BYTE, done) == 0) {
                    return done;
                }
            }
        }
        return TOO_LONG;
    }
}
