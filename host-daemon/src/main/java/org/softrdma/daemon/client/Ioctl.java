// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.IoctlAttribute;
import org.softrdma.abi.uverbs.IoctlBundle;
import org.softrdma.abi.uverbs.IoctlHeader;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;

/** One call of a device, put together as libibverbs does: attributes, and memory for input and output until it is closed. */
final class Ioctl implements AutoCloseable {
    private final JoinedContext context;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment bundle = arena.allocate(IoctlBundle.MAX_BYTES, Long.BYTES);
    private int count;

    Ioctl(JoinedContext context, int object, int method) {
        this.context = context;
        IoctlHeader.objectId(bundle, 0, object);
        IoctlHeader.methodId(bundle, 0, method);
        IoctlHeader.driverId(bundle, 0, context.driverId());
    }

    /** Begins a command of the legacy interface, which the ioctl carries. */
    static Ioctl command(JoinedContext context, int number) {
        return new Ioctl(context, UverbsObject.DEVICE, UverbsMethod.INVOKE_WRITE).value(UverbsAttribute.WRITE_CMD, number, Long.BYTES);
    }

    /** Allocates zeroed memory that lives as long as the call. */
    MemorySegment room(int bytes) {
        return arena.allocate(bytes, Long.BYTES);
    }

    private long add(int id, int bytes, long data) {
        long at = IoctlHeader.BYTES + (long) count * IoctlAttribute.BYTES;
        IoctlAttribute.attrId(bundle, at, id);
        IoctlAttribute.len(bundle, at, bytes);
        IoctlAttribute.flags(bundle, at, IoctlAttribute.MANDATORY);
        IoctlAttribute.data(bundle, at, data);
        count++;
        return at;
    }

    /** Adds a number of up to 8 bytes. */
    Ioctl value(int id, long value, int bytes) {
        add(id, bytes, value);
        return this;
    }

    /** Adds a handle or a descriptor; 0 for the one of a new object. */
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

    /** Adds the structure of a legacy command. */
    Ioctl in(MemorySegment in) {
        return input(UverbsAttribute.CORE_IN, in);
    }

    /** Adds room for the answer to a legacy command. */
    Ioctl out(MemorySegment out) {
        return output(UverbsAttribute.CORE_OUT, out);
    }

    /**
     * Runs the call.
     *
     * @throws org.softrdma.verbs.VerbsException the device refuses it
     */
    void run(String verb) {
        IoctlHeader.length(bundle, 0, IoctlHeader.BYTES + count * IoctlAttribute.BYTES);
        IoctlHeader.numAttrs(bundle, 0, count);
        context.session().ioctl(verb, context.file(), bundle.address());
    }

    /** Returns the handle or descriptor that the call has written. */
    int number(int id) {
        for (int i = 0; i < count; i++) {
            long at = IoctlHeader.BYTES + (long) i * IoctlAttribute.BYTES;
            if (IoctlAttribute.attrId(bundle, at) == id) {
                return (int) IoctlAttribute.data(bundle, at);
            }
        }
        throw new AssertionError("no attribute " + id);
    }

    /** Reads a u32 of the answer. */
    static int u32(MemorySegment out) {
        return out.get(AbiLayout.U32, 0);
    }

    @Override
    public void close() {
        arena.close();
    }
}
