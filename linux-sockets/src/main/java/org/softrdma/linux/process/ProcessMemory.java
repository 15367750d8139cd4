// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.softrdma.linux.LinuxSockets;

/**
 * Memory of another process, through a descriptor of its file /proc/PID/mem. The descriptor holds the address space: after the process
 * has ended or executed another program every access fails, even if another process has its number by then. The right of access is
 * checked when the file is opened, and the descriptor may be passed to another process. Source: proc(5).
 *
 * <p>The kernel lets writes through to pages that the process itself may only read: check {@link #isMapped} when a region is registered.
 * Pages are not pinned. Any thread; reads and writes allocate nothing. Calls after {@link #close} fail; closing waits for calls that run.
 */
public final class ProcessMemory implements AutoCloseable {
    /** Result of {@link #readString}: memory is not readable. */
    public static final int UNREADABLE = -CLibrary.EFAULT;
    /** Result of {@link #readString}: there is no end within the bound. */
    public static final int TOO_LONG = -CLibrary.ENAMETOOLONG;

    private static final byte[] MEM = ProcPath.ascii("/mem");
    private static final byte[] MAPS = ProcPath.ascii("/maps");
    private static final int PAGE_BYTES = 4096;
    /** From this length on, process_vm_readv(2) and process_vm_writev(2) are faster: they do not copy twice. */
    private static final int LARGE_BYTES = 1 << 15;
    /** Bytes of a large copy that go through the descriptor, which shows that the address space is still there. */
    private static final int PROBE_BYTES = 64;
    private static final int NO_PROCESS = 0;

    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PREAD = CLibrary.function("pread", TRANSFER);
    private static final MethodHandle PWRITE = CLibrary.function("pwrite", TRANSFER);
    private static final FunctionDescriptor VECTORS =
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle READV = CLibrary.function("process_vm_readv", VECTORS);
    private static final MethodHandle WRITEV = CLibrary.function("process_vm_writev", VECTORS);

    private final int mem;
    private final int maps;
    private final OpenGuard guard = new OpenGuard();
    /** The process, for large copies; {@link #NO_PROCESS} if it is not known, or the kernel does not permit them. */
    private volatile int named;

    /**
     * Takes over descriptors.
     *
     * @param mem  of /proc/PID/mem, open for reading and writing
     * @param maps of /proc/PID/maps of the same process, open for reading; used by {@link #isMapped}
     */
    public ProcessMemory(int mem, int maps) {
        this(mem, maps, NO_PROCESS);
    }

    /**
     * Takes over descriptors of a process that is known.
     *
     * @param pid its number in this PID namespace: large copies go by it where the kernel permits that
     */
    public ProcessMemory(int mem, int maps, int pid) {
        this.mem = mem;
        this.maps = maps;
        named = pid;
    }

    /**
     * Opens the memory of a process.
     *
     * @throws VerbsException EACCES: the process belongs to another user, is not dumpable, or Yama allows only its
     *     ancestors; ENOENT: there is no such process
     */
    public static ProcessMemory open(int pid) {
        CLibrary library = CLibrary.current();
        int mem = CLibrary.check(Descriptors.open(Descriptors.AT_FDCWD, library.path.of(pid, MEM), CLibrary.O_RDWR | CLibrary.O_CLOEXEC, 0),
            "reg_mr", "memory of process " + pid);
        int maps = Descriptors.open(Descriptors.AT_FDCWD, library.path.of(pid, MAPS), CLibrary.O_CLOEXEC, 0);
        if (maps < 0) {
            LinuxSockets.close(mem);
            throw LinuxSockets.failure(-maps, "reg_mr", "mappings of process " + pid);
        }
        return new ProcessMemory(mem, maps, pid);
    }

    /** Descriptor of the memory, for passing it to another process. */
    public int memoryFd() {
        return mem;
    }

    /** Descriptor of the list of mappings, for passing it to another process. */
    public int mapsFd() {
        return maps;
    }

    /**
     * Copies from the process.
     *
     * @param address in the process, u64; above 2^63 there is nothing to read
     * @param to      native memory
     * @param at      offset in {@code to}
     * @return false if not all bytes could be read: some may have been copied
     */
    public boolean read(long address, MemorySegment to, long at, long bytes) {
        return readUpTo(address, to, at, bytes) == bytes;
    }

    /**
     * Copies from the process as much as can be read without a gap.
     *
     * @param address in the process, u64; above 2^63 there is nothing to read
     * @param to      native memory
     * @param at      offset in {@code to}
     * @return bytes copied, 0 to {@code bytes}
     */
    public long readUpTo(long address, MemorySegment to, long at, long bytes) {
        Objects.checkFromIndexSize(at, bytes, to.byteSize());
        if (address < 0 || bytes > Long.MAX_VALUE - address || !guard.enter()) {
            return 0;
        }
        CLibrary library = CLibrary.current();
        try {
            long done = bytes < LARGE_BYTES ? 0 : readLarge(library, address, to.address() + at, bytes);
            while (done < bytes) {
                long count = library.result(
                    (long) PREAD.invokeExact(library.state, mem, to.address() + at + done, bytes - done, address + done));
                if (count <= 0 && count != -CLibrary.EINTR) {
                    break;
                }
                done += Math.max(count, 0);
            }
            return done;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        } finally {
            Reference.reachabilityFence(to);
            guard.leave();
        }
    }

    /**
     * Reads by the number of the process, which its own descriptor has just shown to be that of this address space.
     *
     * @return bytes copied, fewer if the rest must be read through the descriptor
     */
    private long readLarge(CLibrary library, long address, long to, long bytes) throws Throwable {
        int pid = named;
        if (pid == NO_PROCESS || (long) PREAD.invokeExact(library.state, mem, to, (long) PROBE_BYTES, address) != PROBE_BYTES) {
            return 0;
        }
        long vectors = vectors(library, to + PROBE_BYTES, address + PROBE_BYTES, bytes - PROBE_BYTES);
        return PROBE_BYTES + counted(library.result((long) READV.invokeExact(library.state, pid, vectors, 1L, vectors + 16, 1L, 0L)));
    }

    /**
     * Writes by the number of the process, which its own descriptor has just shown to be that of this address space. Should the process
     * execute another program between the two calls, then that program's memory is written where it has some at the same address; the
     * kernel refuses it if the program has more rights than we.
     *
     * @return bytes copied, fewer if the rest must be written through the descriptor
     */
    private long writeLarge(CLibrary library, long address, long from, long bytes) throws Throwable {
        int pid = named;
        if (pid == NO_PROCESS || (long) PWRITE.invokeExact(library.state, mem, from, (long) PROBE_BYTES, address) != PROBE_BYTES) {
            return 0;
        }
        long vectors = vectors(library, from + PROBE_BYTES, address + PROBE_BYTES, bytes - PROBE_BYTES);
        return PROBE_BYTES + counted(library.result((long) WRITEV.invokeExact(library.state, pid, vectors, 1L, vectors + 16, 1L, 0L)));
    }

    /** Makes two struct iovec of the same length, here and there. */
    private static long vectors(CLibrary library, long here, long there, long bytes) {
        library.small.set(JAVA_LONG, 0, here);
        library.small.set(JAVA_LONG, 8, bytes);
        library.small.set(JAVA_LONG, 16, there);
        library.small.set(JAVA_LONG, 24, bytes);
        return library.small.address();
    }

    private long counted(long result) {
        if (result < 0 && result != -CLibrary.EFAULT) {
            named = NO_PROCESS;
        }
        return Math.max(result, 0);
    }

    /**
     * Copies to the process.
     *
     * @param address in the process, u64; above 2^63 there is nothing to write
     * @param from    native memory
     * @param at      offset in {@code from}
     * @return false if not all bytes could be written: some may have been
     */
    public boolean write(long address, MemorySegment from, long at, long bytes) {
        Objects.checkFromIndexSize(at, bytes, from.byteSize());
        if (address < 0 || bytes > Long.MAX_VALUE - address || !guard.enter()) {
            return bytes == 0;
        }
        CLibrary library = CLibrary.current();
        try {
            long done = bytes < LARGE_BYTES ? 0 : writeLarge(library, address, from.address() + at, bytes);
            while (done < bytes) {
                long count = library.result(
                    (long) PWRITE.invokeExact(library.state, mem, from.address() + at + done, bytes - done, address + done));
                if (count <= 0 && count != -CLibrary.EINTR) {
                    return false;
                }
                done += Math.max(count, 0);
            }
            return true;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        } finally {
            Reference.reachabilityFence(from);
            guard.leave();
        }
    }

    /**
     * Copies a C string from the process, reading no page beyond the one with its end.
     *
     * @param to receives the bytes and the terminating zero; its size is the bound
     * @return length without the zero, {@link #UNREADABLE}, or {@link #TOO_LONG}
     */
    public int readString(long address, MemorySegment to) {
        long done = 0;
        while (done < to.byteSize()) {
            long piece = Math.min(to.byteSize() - done, PAGE_BYTES - (address + done & PAGE_BYTES - 1));
            if (!read(address + done, to, done, piece)) {
                return UNREADABLE;
            }
            for (long end = done + piece; done < end; done++) {
                if (to.get(JAVA_BYTE, done) == 0) {
                    return (int) done;
                }
            }
        }
        return TOO_LONG;
    }

    /**
     * Copies a C string from the process, as {@link #readString(long, MemorySegment)}.
     *
     * @param max bytes with the zero, at most 4096
     * @return its text, with a character for each byte (ISO 8859-1); null if it is not readable or too long
     */
    public String readString(long address, int max) {
        MemorySegment text = CLibrary.current().text.asSlice(0, max);
        int length = readString(address, text);
        return length < 0 ? null : new String(text.asSlice(0, length).toArray(JAVA_BYTE), StandardCharsets.ISO_8859_1);
    }

    /**
     * Whether a range of addresses is mapped without gaps and may be read by the process. The list of mappings is read up to the end of
     * the range.
     *
     * @param writable whether it must also be writable by the process
     */
    public boolean isMapped(long start, long bytes, boolean writable) {
        if (start < 0 || bytes < 0 || bytes > Long.MAX_VALUE - start || !guard.enter()) {
            return false;
        }
        try {
            MemorySegment text = CLibrary.current().text;
            MappingSearch search = new MappingSearch(start, start + bytes, writable);
            long offset = 0;
            while (!search.isDecided()) {
                long count = readMaps(text, offset);
                if (count <= 0) {
                    return false;
                }
                search.take(text, (int) count);
                offset += count;
            }
            return search.isCovered();
        } finally {
            guard.leave();
        }
    }

    private long readMaps(MemorySegment text, long offset) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((long) PREAD.invokeExact(library.state, maps, text.address(), text.byteSize(), offset));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    @Override
    public void close() {
        if (guard.close()) {
            LinuxSockets.close(mem);
            LinuxSockets.close(maps);
        }
    }
}
