// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.softrdma.linux.LinuxSockets;

/**
 * Facts about processes and threads, from their files below /proc. A number may belong to another process as soon as its own has ended:
 * check {@link SeccompListener#isValid} afterwards, or hold a {@link PidFd}. Any thread. Source: proc(5).
 */
public final class ProcessInfo {
    /** Result of methods that return a number: there is no such thread, or its files may not be read. */
    public static final int UNKNOWN = -1;

    private static final byte[] STATUS = ProcPath.ascii("/status");
    private static final byte[] FD = ProcPath.ascii("/fd/");
    private static final byte[] CWD = ProcPath.ascii("/cwd");
    private static final byte[] FDINFO = ProcPath.ascii("/fdinfo/");
    private static final byte[] LIMITS = ProcPath.ascii("/limits");
    private static final byte[] OPEN_FILES = ProcPath.ascii("Max open files");
    private static final byte[] TGID = ProcPath.ascii("Tgid:");
    private static final byte[] UID = ProcPath.ascii("Uid:");
    private static final byte[] STATE = ProcPath.ascii("State:");
    private static final byte[] SECCOMP = ProcPath.ascii("Seccomp:");
    private static final byte[] FLAGS = ProcPath.ascii("flags:");
    private static final int SECCOMP_MODE_FILTER = 2;
    private static final int DECIMAL = 10;
    private static final int OCTAL = 8;

    private ProcessInfo() {
    }

    /** The process that a thread belongs to, or {@link #UNKNOWN}. Allocates nothing. */
    public static int tgid(int tid) {
        return (int) statusNumber(tid, TGID, DECIMAL);
    }

    /** The real user ID of a process, or {@link #UNKNOWN}. */
    public static int uid(int pid) {
        return (int) statusNumber(pid, UID, DECIMAL);
    }

    /** The real user ID of this process. */
    public static int ownUid() {
        return uid((int) ProcessHandle.current().pid());
    }

    /** Whether a process runs: it exists, and is no zombie. */
    public static boolean isAlive(int pid) {
        MemorySegment text = CLibrary.current().text;
        int length = readStatus(pid, text);
        int at = ProcText.find(text, length, STATE);
        return at >= 0 && text.get(JAVA_BYTE, at) != 'Z' && text.get(JAVA_BYTE, at) != 'X';
    }

    /** Whether a process was stopped by a signal. */
    public static boolean isStopped(int pid) {
        MemorySegment text = CLibrary.current().text;
        return isStopped(text, readStatus(pid, text));
    }

    static boolean isStopped(MemorySegment status, int length) {
        int at = ProcText.find(status, length, STATE);
        return at >= 0 && status.get(JAVA_BYTE, at) == 'T';
    }

    /** Whether this process runs under a seccomp filter. */
    public static boolean isFiltered() {
        return statusNumber((int) ProcessHandle.current().pid(), SECCOMP, DECIMAL) == SECCOMP_MODE_FILTER;
    }

    private static long statusNumber(int pid, byte[] name, int radix) {
        MemorySegment text = CLibrary.current().text;
        return ProcText.number(text, readStatus(pid, text), name, radix, UNKNOWN);
    }

    static int readStatus(int pid, MemorySegment text) {
        return ProcText.read(CLibrary.current().path.of(pid, STATUS), text);
    }

    /**
     * The flags that a descriptor was opened with or was given since (O_NONBLOCK, O_CLOEXEC, access mode), or {@link #UNKNOWN}. Allocates
     * nothing.
     */
    public static int fdFlags(int tid, int fd) {
        CLibrary library = CLibrary.current();
        int length = ProcText.read(library.path.of(tid, FDINFO, fd), library.text);
        return (int) ProcText.number(library.text, length, FLAGS, OCTAL, UNKNOWN);
    }

    /** Whether reads of a descriptor do not block: O_NONBLOCK is set. */
    public static boolean isNonBlocking(int tid, int fd) {
        int flags = fdFlags(tid, fd);
        return flags != UNKNOWN && (flags & Descriptors.O_NONBLOCK) != 0;
    }

    /**
     * The identity of the file behind a descriptor. Allocates nothing.
     *
     * @param to overwritten, unless the result is false
     * @return false if the thread has no such descriptor
     */
    public static boolean identify(int tid, int fd, FileIdentity to) {
        return to.read(CLibrary.current().path.of(tid, FD, fd)) == 0;
    }

    /**
     * The text of a descriptor's link: a path, with {@code " (deleted)"} if it was removed, or {@code pipe:[inode]}.
     *
     * @return null if there is no such descriptor
     */
    public static String fdLink(int tid, int fd) {
        return link(CLibrary.current().path.of(tid, FD, fd));
    }

    /** The working directory of a thread; null if there is no such thread, or it may not be seen. */
    public static String workingDirectory(int tid) {
        return link(CLibrary.current().path.of(tid, CWD));
    }

    private static String link(MemorySegment path) {
        MemorySegment text = CLibrary.current().text;
        int length = Descriptors.readlink(path, text);
        return length < 0 ? null : new String(text.asSlice(0, length).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** How many descriptors a process may have (the soft limit of {@code ulimit -n}), or {@link #UNKNOWN}. Allocates nothing. */
    public static int fileLimit(int tid) {
        CLibrary library = CLibrary.current();
        int length = ProcText.read(library.path.of(tid, LIMITS), library.text);
        return (int) Math.min(Integer.MAX_VALUE, ProcText.number(library.text, length, OPEN_FILES, DECIMAL, UNKNOWN));
    }

    /**
     * The lowest number that is free in a process, or {@link #UNKNOWN} if none is. Allocates nothing.
     *
     * @param first lowest number
     * @param end   one above the highest number
     */
    public static int freeNumber(int tid, int first, int end) {
        CLibrary library = CLibrary.current();
        for (int number = first; number < end; number++) {
            if (Descriptors.readlink(library.path.of(tid, FD, number), library.small) == -CLibrary.ENOENT) {
                return number;
            }
        }
        return UNKNOWN;
    }

    /** The name of a process, at most 15 characters; null if there is no such process. */
    public static String comm(int pid) {
        byte[] bytes = file(pid, "comm");
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8).strip();
    }

    /** The program and the arguments of a process; empty for a zombie, null if there is no such process. */
    public static List<String> commandLine(int pid) {
        byte[] bytes = file(pid, "cmdline");
        return bytes == null ? null : split(bytes).stream().map(each -> new String(each, StandardCharsets.UTF_8)).toList();
    }

    /**
     * The last arguments of this process, byte for byte: the JVM's strings would not keep bytes that are no text in the user's locale.
     *
     * @param count of the arguments of the main method
     */
    public static List<byte[]> ownArguments(int count) {
        byte[] bytes = file((int) ProcessHandle.current().pid(), "cmdline");
        List<byte[]> all = bytes == null ? List.of() : split(bytes);
        if (all.size() < count) {
            throw LinuxSockets.failure(CLibrary.ENOENT, "run", "/proc/self/cmdline has " + all.size() + " arguments");
        }
        return all.subList(all.size() - count, all.size());
    }

    private static byte[] file(int pid, String name) {
        try {
            return Files.readAllBytes(Path.of("/proc", Integer.toString(pid), name));
        } catch (IOException gone) {
            return null;
        }
    }

    private static List<byte[]> split(byte[] bytes) {
        List<byte[]> strings = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                strings.add(Arrays.copyOfRange(bytes, start, i));
                start = i + 1;
            }
        }
        return strings;
    }
}
