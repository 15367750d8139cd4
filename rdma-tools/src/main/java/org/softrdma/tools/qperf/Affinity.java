// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/** Binds the calling thread, and those it starts, to one processor: {@code sched_setaffinity} of the C library. */
final class Affinity {
    /** Of glibc's set: 1024 processors. */
    private static final int SET_BYTES = 128;

    private Affinity() {
    }

    /**
     * Does what the request says.
     *
     * @throws QPerfFailure there is no such processor, or no such call on this system
     */
    static void set(Request request) {
        int processor = request.number(Parameter.AFFINITY) - 1;
        if (processor == -1) {
            return;
        }
        String complaint = "cannot set processor affinity (cpu " + Integer.toUnsignedString(processor) + ")";
        Linker linker = Linker.nativeLinker();
        Optional<MemorySegment> function = linker.defaultLookup().find("sched_setaffinity");
        if (function.isEmpty()) {
            throw new QPerfFailure(complaint + ": Function not implemented");
        }
        if (processor < 0 || processor >= SET_BYTES * Byte.SIZE || call(linker, function.get(), processor, complaint) != 0) {
            throw new QPerfFailure(complaint + ": Invalid argument");
        }
    }

    private static int call(Linker linker, MemorySegment function, int processor, String complaint) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES);
            set.set(ValueLayout.JAVA_BYTE, processor / Byte.SIZE, (byte) (1 << processor % Byte.SIZE));
            FunctionDescriptor signature = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS);
            return (int) linker.downcallHandle(function, signature).invokeExact(0, (long) SET_BYTES, set);
        } catch (IllegalCallerException denied) {
            throw new QPerfFailure(complaint + ": the JVM denies native code; --enable-native-access allows it");
        } catch (Throwable impossible) {
            throw new AssertionError("sched_setaffinity throws nothing", impossible);
        }
    }
}
