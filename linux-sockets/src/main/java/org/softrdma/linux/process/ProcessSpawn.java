// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Start of a program by posix_spawnp(3), prepared in one step and done in another: the second one loads no class, opens no file and
 * allocates nothing, so a thread under a {@link SeccompFilter} can take it.
 *
 * <p>The program has the working directory, the session, the process group and the limits of this process. Signals that this JVM or its
 * caller's handlers changed have their defaults again; those that were ignored when this class was first used, as nohup(1) does, still
 * are. Descriptors above 2 are closed, except those named. Not for several threads at once.
 */
public final class ProcessSpawn {
    /** Descriptors of this process that a program may inherit. */
    public static final int MAX_INHERITED = 64;

    private static final int SETSIGDEF = 4;
    private static final int SETSIGMASK = 8;
    /** Larger than posix_spawnattr_t and posix_spawn_file_actions_t of glibc (336, 80) and musl (336, 80). */
    private static final int OBJECT_BYTES = 1024;
    private static final int SIGNAL_SET_BYTES = 128;
    private static final int FIRST_CLOSED = 3;

    static final int MAX_INHERITED_NUMBER = 1024;
    private static final String CLOSE_FROM = "posix_spawn_file_actions_addclosefrom_np";
    private static final int CLOSE_RANGE = 436;
    private static final int CLOSE_RANGE_CLOEXEC = 4;

    private static final MethodHandle SPAWN = CLibrary.function("posix_spawnp",
        FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment pid = arena.allocate(JAVA_INT);
    private final MemorySegment file;
    private final MemorySegment arguments;
    private final MemorySegment environment;
    private final MemorySegment actions = arena.allocate(OBJECT_BYTES, 16);
    private final MemorySegment attributes = arena.allocate(OBJECT_BYTES, 16);

    private ProcessSpawn(List<byte[]> command, Map<String, String> changes, int... inherited) {
        file = string(command.getFirst());
        arguments = arena.allocate(ADDRESS, command.size() + 1L);
        for (int i = 0; i < command.size(); i++) {
            arguments.setAtIndex(ADDRESS, i, string(command.get(i)));
        }
        environment = InheritedEnvironment.with(changes, arena);
        prepareActions(inherited);
        prepareAttributes();
    }

    /**
     * Prepares the start of a program.
     *
     * @param command   the program, found by PATH unless its name has a slash, and its arguments; bytes without zero, see
     *     {@link ProcessInfo#ownArguments}
     * @param changes   variables to set or, with a null value, to remove; the rest of the environment is this process's, byte for byte
     * @param inherited descriptors above 2 to leave open in the program
     * @throws VerbsException EINVAL: no command, or too many descriptors
     */
    public static ProcessSpawn prepare(List<byte[]> command, Map<String, String> changes, int... inherited) {
        if (command.isEmpty() || inherited.length > MAX_INHERITED) {
            throw new VerbsException(Errno.EINVAL, "run", "needs a command, and at most " + MAX_INHERITED + " descriptors to inherit");
        }
        ProcessSpawn prepared = new ProcessSpawn(command, changes, inherited);
        // The first call makes the JVM link everything; there is no program with an empty name.
        int result = prepared.spawn(prepared.string(new byte[0]));
        if (result != -CLibrary.ENOENT) {
            throw LinuxSockets.failure(result < 0 ? -result : CLibrary.EINVAL, "run", "posix_spawnp of an empty name");
        }
        return prepared;
    }

    /**
     * Starts the program. The calling thread's filter applies to it.
     *
     * @return its process ID, or minus errno: ENOENT if there is no such program, EACCES if it may not be executed
     */
    public int run() {
        return spawn(file);
    }

    private int spawn(MemorySegment program) {
        CLibrary library = CLibrary.current();
        try {
            int errno = (int) SPAWN.invokeExact(library.state, pid, program, actions, attributes, arguments, environment);
            return errno == 0 ? pid.get(JAVA_INT, 0) : -errno;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    private MemorySegment string(byte[] bytes) {
        MemorySegment string = arena.allocate(bytes.length + 1L);
        MemorySegment.copy(bytes, 0, string, JAVA_BYTE, 0, bytes.length);
        return string;
    }

    private void prepareActions(int[] inherited) {
        int[] open = inherited.clone();
        Arrays.sort(open);
        call("posix_spawn_file_actions_init", actions);
        int next = FIRST_CLOSED;
        for (int fd : open) {
            if (fd < FIRST_CLOSED || fd >= MAX_INHERITED_NUMBER) {
                throw new VerbsException(Errno.EINVAL, "run", "descriptor " + fd + " cannot be inherited; 3 to "
                    + (MAX_INHERITED_NUMBER - 1) + " can");
            }
            while (next < fd) {
                call("posix_spawn_file_actions_addclose", actions, next++);
            }
            // Onto itself: clears its close-on-exec flag.
            call("posix_spawn_file_actions_adddup2", actions, fd, fd);
            next = fd + 1;
        }
        if (CLibrary.find(CLOSE_FROM).isPresent()) {
            call(CLOSE_FROM, actions, next);
        } else {
            closeOnExec(next);
        }
    }

    private void prepareAttributes() {
        call("posix_spawnattr_init", attributes);
        MemorySegment set = arena.allocate(SIGNAL_SET_BYTES, 8);
        set.set(JAVA_LONG, 0, InheritedSignals.defaults());
        callWithSet("posix_spawnattr_setsigdefault", set);
        set.set(JAVA_LONG, 0, InheritedSignals.BLOCKED);
        callWithSet("posix_spawnattr_setsigmask", set);
        MethodHandle setFlags = CLibrary.function("posix_spawnattr_setflags", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_SHORT));
        try {
            checkZero((int) setFlags.invokeExact(CLibrary.current().state, attributes, (short) (SETSIGDEF | SETSIGMASK)));
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    private void callWithSet(String name, MemorySegment set) {
        MethodHandle handle = CLibrary.function(name, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
        try {
            checkZero((int) handle.invokeExact(CLibrary.current().state, attributes, set));
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    private static void call(String name, MemorySegment object, int... numbers) {
        MemoryLayout[] layouts = new MemoryLayout[numbers.length + 1];
        Arrays.fill(layouts, JAVA_INT);
        layouts[0] = ADDRESS;
        Object[] values = new Object[numbers.length + 2];
        values[0] = CLibrary.current().state;
        values[1] = object;
        for (int i = 0; i < numbers.length; i++) {
            values[i + 2] = numbers[i];
        }
        try {
            checkZero((int) CLibrary.function(name, FunctionDescriptor.of(JAVA_INT, layouts)).invokeWithArguments(values));
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** These functions fail for want of memory only. */
    private static void checkZero(int errno) {
        if (errno != 0) {
            throw LinuxSockets.failure(errno, "run", "posix_spawn was not prepared");
        }
    }

    /** Marks all descriptors from {@code first} on; those that other threads open later are the JVM's, which marks its own. */
    private static void closeOnExec(int first) {
        MethodHandle syscall = CLibrary.variadic("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT), 1);
        CLibrary library = CLibrary.current();
        try {
            long result = library.result((long) syscall.invokeExact(library.state, (long) CLOSE_RANGE, first, -1, CLOSE_RANGE_CLOEXEC));
            CLibrary.check((int) result, "run", "close_range");
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }
}
