// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.softrdma.abi.uverbs.IoctlAttribute;
import org.softrdma.abi.uverbs.IoctlHeader;
import org.softrdma.abi.uverbs.LegacyHeader;
import org.softrdma.abi.uverbs.PostSendCommand;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.Descriptors;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.linux.process.SeccompFilter;

/**
 * A program with libibverbs, as the test plays it: it is this process itself, whose memory is reached like another's, and it holds copies
 * of the descriptors that it is given.
 */
final class FakeProgram implements ClientProcess, AutoCloseable {
    /** Lowest number of a descriptor that the program gets. */
    private static final int LOWEST = 900;
    /** Lowest number that stands for a descriptor of another program's file; there is no such descriptor in this process. */
    private static final int FOREIGN = 1 << 20;

    private static final MethodHandle WRITE = Linker.nativeLinker().downcallHandle(
        Linker.nativeLinker().defaultLookup().findOrThrow("write"),
        FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG),
        Linker.Option.captureCallState("errno"));

    final Arena arena = Arena.ofShared();
    final UverbsFile file;
    private final ProcessMemory memory = ProcessMemory.open(pid());
    private final Map<Integer, DeviceFile> descriptors = new HashMap<>();
    final int commandFd;
    int asyncFd = -1;
    /** Bytes behind every room that belong to the program, too: for calls that name more room than there is. */
    int spare;

    /** Opens a device, and makes no context of it yet. */
    FakeProgram(UverbsDevice device) {
        file = device.open(this);
        commandFd = give(file);
    }

    /** Opens a device as ibv_open_device does. */
    static FakeProgram withContext(UverbsDevice device) {
        FakeProgram program = new FakeProgram(device);
        assertEquals(0, program.ioctl(UverbsObject.DEVICE, UverbsMethod.GET_CONTEXT)
            .outputs(UverbsAttribute.GET_CONTEXT_NUM_COMP_VECTORS, 4).outputs(UverbsAttribute.GET_CONTEXT_CORE_SUPPORT, 8).run());
        Ioctl events = program.ioctl(UverbsObject.ASYNC_EVENT, UverbsMethod.ASYNC_EVENT_ALLOC)
            .number(UverbsAttribute.ASYNC_EVENT_ALLOC_FD_HANDLE, 0);
        assertEquals(0, events.run());
        program.asyncFd = (int) events.number(UverbsAttribute.ASYNC_EVENT_ALLOC_FD_HANDLE);
        return program;
    }

    @Override
    public int pid() {
        return (int) ProcessHandle.current().pid();
    }

    @Override
    public String command() {
        return "fake";
    }

    @Override
    public ProcessMemory memory() {
        return memory;
    }

    @Override
    public void end(DeviceFile ended) {
        ended.closed();
    }

    int give(DeviceFile given) {
        int copy = Descriptors.duplicate(given.descriptor(), LOWEST);
        given.given();
        descriptors.put(copy, given);
        return copy;
    }

    /** Adds a descriptor of another program's file, as if it had been passed over a socket. */
    int take(DeviceFile other) {
        int number = FOREIGN + descriptors.size();
        descriptors.put(number, other);
        return number;
    }

    DeviceFile at(int descriptor) {
        return descriptors.get(descriptor);
    }

    MemorySegment room(int bytes) {
        return arena.allocate(bytes + spare, 8).asSlice(0, bytes);
    }

    Ioctl ioctl(int object, int method) {
        return new Ioctl(object, method);
    }

    /** Runs a legacy command. */
    int command(int number, MemorySegment in, MemorySegment out) {
        return legacy(number, in, out).run();
    }

    Ioctl legacy(int number, MemorySegment in, MemorySegment out) {
        Ioctl call = ioctl(UverbsObject.DEVICE, UverbsMethod.INVOKE_WRITE).value(UverbsAttribute.WRITE_CMD, number, 8);
        if (in != null) {
            call.input(UverbsAttribute.CORE_IN, in);
        }
        return out == null ? call : call.output(UverbsAttribute.CORE_OUT, out);
    }

    /** Rings the doorbell as librxe does: the length of the command, or minus errno. */
    int ring() {
        try {
            MemorySegment bell = room(LegacyHeader.BYTES + PostSendCommand.BYTES);
            MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
            long written = (long) WRITE.invokeExact(state, commandFd, bell, bell.byteSize());
            return written < 0 ? -state.get(ValueLayout.JAVA_INT, 0) : (int) written;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns the bytes that wait in an event file. */
    int waiting(int descriptor) {
        try (FileInputStream in = new FileInputStream("/proc/self/fd/" + descriptor)) {
            return in.available();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Reads a record of an event file. */
    ByteBuffer read(int descriptor, int bytes) {
        try (FileInputStream in = new FileInputStream("/proc/self/fd/" + descriptor)) {
            return ByteBuffer.wrap(in.readNBytes(bytes)).order(ByteOrder.nativeOrder());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        file.closed();
        descriptors.forEach((number, each) -> {
            each.closed();
            if (number < FOREIGN) {
                LinuxSockets.close(number);
            }
        });
        memory.close();
        arena.close();
    }

    /** One ioctl, put together as libibverbs does. */
    final class Ioctl implements TrappedCall {
        static final int PENDING = 1;
        private final int object;
        private final int method;
        private final MemorySegment bundle = room(4096);
        private int count;
        int driver = file.driver().id();
        private long result = PENDING;

        Ioctl(int object, int method) {
            this.object = object;
            this.method = method;
        }

        private long add(int id, int len, long data) {
            long at = IoctlHeader.BYTES + (long) count++ * IoctlAttribute.BYTES;
            IoctlAttribute.attrId(bundle, at, id);
            IoctlAttribute.len(bundle, at, len);
            IoctlAttribute.flags(bundle, at, IoctlAttribute.MANDATORY);
            IoctlAttribute.data(bundle, at, data);
            return at;
        }

        Ioctl driver(int id) {
            driver = id;
            return this;
        }

        Ioctl value(int id, long value, int bytes) {
            add(id, bytes, value);
            return this;
        }

        /** Adds an attribute that the kernel may ignore. */
        Ioctl optional(int id, long value, int bytes) {
            IoctlAttribute.flags(bundle, add(id, bytes, value), 0);
            return this;
        }

        Ioctl number(int id, long value) {
            add(id, 0, value);
            return this;
        }

        Ioctl input(int id, MemorySegment in) {
            boolean inline = in.byteSize() <= Long.BYTES;
            long at = add(id, (int) in.byteSize(), inline ? 0 : in.address());
            if (inline) {
                MemorySegment.copy(in, 0, bundle, at + IoctlAttribute.DATA_OFFSET, in.byteSize());
            }
            return this;
        }

        Ioctl output(int id, MemorySegment out) {
            add(id, (int) out.byteSize(), out.address());
            return this;
        }

        /** Adds room for output that the test does not look at. */
        Ioctl outputs(int id, int bytes) {
            return output(id, room(bytes));
        }

        MemorySegment bundle() {
            IoctlHeader.length(bundle, 0, IoctlHeader.BYTES + count * IoctlAttribute.BYTES);
            IoctlHeader.objectId(bundle, 0, object);
            IoctlHeader.methodId(bundle, 0, method);
            IoctlHeader.numAttrs(bundle, 0, count);
            IoctlHeader.driverId(bundle, 0, driver);
            return bundle;
        }

        /** Runs the call: 0 or minus errno. */
        int run() {
            return runAt(bundle().address());
        }

        int runAt(long address) {
            file.ioctl(this, SeccompFilter.VERBS_IOCTL, address);
            return (int) result;
        }

        /** Returns what is in an attribute's data. */
        long number(int id) {
            for (int i = 0; i < count; i++) {
                long at = IoctlHeader.BYTES + (long) i * IoctlAttribute.BYTES;
                if (IoctlAttribute.attrId(bundle, at) == id) {
                    return IoctlAttribute.data(bundle, at);
                }
            }
            throw new AssertionError("no attribute " + id);
        }

        /** Returns whether the kernel has marked an output as written. */
        boolean isWritten(int id) {
            for (int i = 0; i < count; i++) {
                long at = IoctlHeader.BYTES + (long) i * IoctlAttribute.BYTES;
                if (IoctlAttribute.attrId(bundle, at) == id) {
                    return (IoctlAttribute.flags(bundle, at) & IoctlAttribute.VALID_OUTPUT) != 0;
                }
            }
            return false;
        }

        @Override
        public ClientProcess process() {
            return FakeProgram.this;
        }

        @Override
        public int thread() {
            return pid();
        }

        @Override
        public int descriptor() {
            return commandFd;
        }

        @Override
        public DeviceFile file(int descriptor) {
            return at(descriptor);
        }

        @Override
        public boolean isNonBlocking(int descriptor) {
            return false;
        }

        @Override
        public int give(DeviceFile given) {
            return FakeProgram.this.give(given);
        }

        @Override
        public void admitSignals() {
        }

        @Override
        public boolean claim() {
            return isPending();
        }

        @Override
        public boolean isPending() {
            return result == PENDING;
        }

        @Override
        public boolean answer(long value) {
            assertEquals(PENDING, result, "answered twice");
            result = value;
            return true;
        }
    }
}
