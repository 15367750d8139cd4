// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.IbvDeviceAttrEx;
import org.softrdma.libibverbs.layout.Pointer;
import org.softrdma.libibverbs.layout.VerbsContext;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.Transport;

/** A {@code struct verbs_context} whose functions are Java's: what no driver on the test machine has. Objects are zeros. */
final class FakeDriver {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final int OBJECT_BYTES = 1024;
    private static final long EXTENDED = -1;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment table = arena.allocate(VerbsContext.BYTES, 8);
    private long clockKhz;

    /** A function of the table, with up to four arguments; those that it does not have are undefined. */
    interface Function {
        long call(long a, long b, long c, long d);
    }

    FakeDriver() {
        VerbsContext.SZ.set(table, 0, VerbsContext.BYTES);
        IbvContext.ABI_COMPAT.set(table, VerbsContext.CONTEXT.offset(), EXTENDED);
        IbvContext.ASYNC_FD.set(table, VerbsContext.CONTEXT.offset(), XrcFiles.create());
        with(VerbsContext.QUERY_DEVICE_EX, (_, _, attributes, _) -> {
            IbvDeviceAttrEx.COMPLETION_TIMESTAMP_MASK.set(NativeMemory.ALL, attributes, clockKhz == 0 ? 0 : -1);
            IbvDeviceAttrEx.HCA_CORE_CLOCK.set(NativeMemory.ALL, attributes, clockKhz);
            return 0;
        });
    }

    FakeDriver with(Pointer operation, Function function) {
        try {
            MethodHandle handle = MethodHandles.lookup().findVirtual(Function.class, "call",
                MethodType.methodType(long.class, long.class, long.class, long.class, long.class)).bindTo(function);
            operation.set(table, 0, LINKER.upcallStub(handle,
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), arena).address());
            return this;
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    FakeDriver withClock(long kHz) {
        clockKhz = kHz;
        return this;
    }

    /** Says that the table of the library is smaller than ours. */
    FakeDriver withBytes(int bytes) {
        VerbsContext.SZ.set(table, 0, bytes);
        return this;
    }

    NativeContext open() {
        return new NativeContext(new NativeDevice("fake0", 0, 0, NodeType.CA, Transport.INFINIBAND, ""),
            table.address() + VerbsContext.CONTEXT.offset(), false);
    }

    /** Makes a structure of C. Returns its address. */
    long object() {
        return arena.allocate(OBJECT_BYTES, 8).address();
    }
}
