// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Copies between several ranges of another process's memory and one range of this process's, in one system call where the kernel permits
 * it: process_vm_readv(2) names the process by its ID, and needs the same user, and under Yama an ancestor. Elsewhere each range takes a
 * call of {@link ProcessMemory}.
 *
 * <p>The process may have ended or executed another program since, which the ID does not show: the first byte is read through the
 * descriptor before. One thread; allocates nothing.
 */
public final class ProcessVectors {
    /** Ranges of one copy. */
    public static final int MAX_RANGES = 64;

    private static final int IOVEC_BYTES = 16;
    private static final FunctionDescriptor TRANSFER =
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle SYSCALL = CLibrary.variadic("syscall", TRANSFER, 1);

    private final ProcessMemory memory;
    private final int pid;
    private final Architecture architecture = Architecture.current();
    /** The range of this process, then those of the other. */
    private final MemorySegment vectors = Arena.ofAuto().allocate((MAX_RANGES + 1L) * IOVEC_BYTES, 8);
    private final MemorySegment probe = Arena.ofAuto().allocate(JAVA_INT);
    private final boolean permitted;
    private int count;
    private long total;

    /**
     * Finds out whether vectors are permitted.
     *
     * @param memory of the process
     * @param pid    its ID
     */
    public ProcessVectors(ProcessMemory memory, int pid) {
        this.memory = memory;
        this.pid = pid;
        // Nothing is mapped at address 8: EFAULT if the access is permitted, else EPERM or ENOSYS.
        set(0, probe.address(), 1);
        set(1, 8, 1);
        permitted = transfer(architecture.processVmReadv, 1) == -CLibrary.EFAULT;
    }

    /** Whether one system call copies all ranges. */
    public boolean isPermitted() {
        return permitted;
    }

    /** Begins a list of ranges. */
    public void clear() {
        count = 0;
        total = 0;
    }

    /**
     * Adds a range.
     *
     * @param address in the process, u64; above 2^63 there is no memory
     * @param bytes   positive
     * @return false if the list is full
     */
    public boolean add(long address, long bytes) {
        if (count == MAX_RANGES) {
            return false;
        }
        set(++count, address, bytes);
        total += bytes;
        return true;
    }

    /** Bytes of all ranges. */
    public long bytes() {
        return total;
    }

    private void set(int index, long address, long bytes) {
        vectors.set(JAVA_LONG, (long) index * IOVEC_BYTES, address);
        vectors.set(JAVA_LONG, (long) index * IOVEC_BYTES + Long.BYTES, bytes);
    }

    private long address(int index) {
        return vectors.get(JAVA_LONG, (long) index * IOVEC_BYTES);
    }

    private long length(int index) {
        return vectors.get(JAVA_LONG, (long) index * IOVEC_BYTES + Long.BYTES);
    }

    /**
     * Copies from the ranges, in their order.
     *
     * @param to native memory
     * @return false if not all bytes could be read: some may have been copied
     */
    public boolean read(MemorySegment to, long at) {
        Objects.checkFromIndexSize(at, total, to.byteSize());
        if (isOneCall()) {
            set(0, to.address() + at, total);
            boolean complete = transfer(architecture.processVmReadv, count) == total;
            Reference.reachabilityFence(to);
            return complete;
        }
        long done = 0;
        for (int i = 1; i <= count; i++) {
            if (!memory.read(address(i), to, at + done, length(i))) {
                return false;
            }
            done += length(i);
        }
        return true;
    }

    /**
     * Copies to the ranges, in their order.
     *
     * @param from native memory
     * @return false if not all bytes could be written: some may have been
     */
    public boolean write(MemorySegment from, long at) {
        Objects.checkFromIndexSize(at, total, from.byteSize());
        if (isOneCall()) {
            set(0, from.address() + at, total);
            boolean complete = transfer(architecture.processVmWritev, count) == total;
            Reference.reachabilityFence(from);
            return complete;
        }
        long done = 0;
        for (int i = 1; i <= count; i++) {
            if (!memory.write(address(i), from, at + done, length(i))) {
                return false;
            }
            done += length(i);
        }
        return true;
    }

    private boolean isOneCall() {
        return permitted && count > 0 && memory.read(address(1), probe, 0, 1);
    }

    private long transfer(int call, int ranges) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((long) SYSCALL.invokeExact(library.state, (long) call, (long) pid, vectors.address(), 1L,
                vectors.address() + IOVEC_BYTES, (long) ranges, 0L));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }
}
