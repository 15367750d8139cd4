// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.IoctlAttribute;
import org.softrdma.abi.uverbs.IoctlBundle;
import org.softrdma.abi.uverbs.IoctlHeader;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Arguments and results of one ioctl. The argument is copied out of the program once, then checked, then used. Reused for all calls of a
 * {@link UverbsFile}, with its lock held.
 */
final class UverbsCall {
    /** Bytes of one input that are copied at most; what is behind them is for later versions of a structure. */
    static final int MAX_INPUT = 1024;
    /** Bytes of one output at most. */
    static final int MAX_OUTPUT = 2048;

    private final MemorySegment copy;
    private final MemorySegment input;
    private final MemorySegment output;
    private final IoctlBundle bundle = new IoctlBundle();
    private TrappedCall trapped;
    private ProcessMemory memory;
    private long argument;

    UverbsCall() {
        Arena arena = Arena.ofAuto();
        copy = arena.allocate(IoctlBundle.MAX_BYTES, Long.BYTES);
        input = arena.allocate(MAX_INPUT, Long.BYTES);
        output = arena.allocate(MAX_OUTPUT, Long.BYTES);
    }

    /**
     * Copies and parses the argument of a call.
     *
     * @throws VerbsException EFAULT, EINVAL, EPROTONOSUPPORT: it is malformed
     */
    void begin(TrappedCall call, long address) {
        trapped = call;
        memory = call.process().memory();
        argument = address;
        if (!memory.read(address, copy, 0, IoctlHeader.BYTES)) {
            throw Refusals.fault(address);
        }
        int length = IoctlHeader.length(copy, 0);
        if (length < IoctlHeader.BYTES || length > IoctlBundle.MAX_BYTES) {
            throw Refusals.invalid("length " + length);
        }
        if (!memory.read(address + IoctlHeader.BYTES, copy, IoctlHeader.BYTES, length - IoctlHeader.BYTES)) {
            throw Refusals.fault(address);
        }
        if (!bundle.parse(copy, length)) {
            throw new VerbsException(Errno.of(bundle.errno()), "ioctl", "malformed argument");
        }
    }

    /** Forgets the program. */
    void end() {
        trapped = null;
        memory = null;
    }

    IoctlBundle bundle() {
        return bundle;
    }

    /** Returns the memory of the calling process. */
    ProcessMemory memory() {
        return memory;
    }

    /**
     * Checks the attributes against those of a method.
     *
     * @throws VerbsException EINVAL, EPROTONOSUPPORT
     */
    void check(Method method) {
        int refusal = bundle.refusal(method.known());
        if (refusal != 0) {
            throw new VerbsException(Errno.of(refusal), "ioctl", "attributes");
        }
        for (AttributeSpec each : method.attributes()) {
            int index = bundle.indexOf(each.id());
            if (index < 0 && each.required()) {
                throw Refusals.invalid("attribute " + each.id() + " is missing");
            }
            if (index >= 0 && !each.admits(bundle.len(index), bundle.elementId(index))) {
                throw Refusals.invalid("attribute " + each.id() + " has " + bundle.len(index) + " bytes");
            }
        }
    }

    /** Returns whether the call has an attribute. */
    boolean has(int id) {
        return bundle.indexOf(id) >= 0;
    }

    /** Returns the bytes of an attribute's input or of its room for output; 0 without it. */
    int length(int id) {
        int index = bundle.indexOf(id);
        return index < 0 ? 0 : bundle.len(index);
    }

    /** Returns a handle or descriptor. */
    long number(int id) {
        return bundle.data(bundle.indexOf(id));
    }

    /**
     * Returns input of up to 8 bytes as an unsigned number.
     *
     * @return 0 without the attribute
     */
    long value(int id) {
        int index = bundle.indexOf(id);
        if (index < 0) {
            return 0;
        }
        int bits = bundle.len(index) * Byte.SIZE;
        return bits >= Long.SIZE ? bundle.data(index) : bundle.data(index) & (1L << bits) - 1;
    }

    /** Returns a number that must fit into an int: a count or size. */
    int count(int id) {
        long value = value(id);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw Refusals.invalid(Long.toUnsignedString(value) + " of attribute " + id);
        }
        return (int) value;
    }

    /**
     * Copies the input of an attribute, up to {@link #MAX_INPUT} bytes.
     *
     * @return the copy with zeros behind it, valid until the next call of this method
     */
    MemorySegment input(int id) {
        input.fill((byte) 0);
        int index = bundle.indexOf(id);
        if (index < 0) {
            return input;
        }
        int bytes = Math.min(bundle.len(index), MAX_INPUT);
        if (AttributeSpec.isInline(bundle.len(index))) {
            MemorySegment.copy(copy, bundle.attributeOffset(index) + (long) IoctlAttribute.DATA_OFFSET, input, 0, bytes);
        } else if (!memory.read(bundle.data(index), input, 0, bytes)) {
            throw Refusals.fault(bundle.data(index));
        }
        return input;
    }

    /** Returns zeroed room to write a response in, for {@link #reply(int, MemorySegment, int)}. */
    MemorySegment room() {
        return output.fill((byte) 0);
    }

    /**
     * Returns zeroed room for the answer to the driver's half in the library.
     *
     * @throws VerbsException EINVAL: the program has no room for that many bytes
     */
    MemorySegment driverRoom(int bytes) {
        if (length(UverbsAttribute.UHW_OUT) < bytes) {
            throw Refusals.invalid("no room for the driver's answer of " + bytes + " bytes");
        }
        return room();
    }

    /**
     * Writes output, as much of it as the program has room for; nothing without the attribute.
     *
     * @throws VerbsException EFAULT
     */
    void reply(int id, MemorySegment from, int bytes) {
        int index = bundle.indexOf(id);
        if (index < 0) {
            return;
        }
        if (!memory.write(bundle.data(index), from, 0, Math.min(bytes, bundle.len(index)))) {
            throw Refusals.fault(bundle.data(index));
        }
        IoctlAttribute.flags(copy, bundle.attributeOffset(index), bundle.flags(index) | IoctlAttribute.VALID_OUTPUT);
        writeBack(index, IoctlAttribute.FLAGS_OFFSET, Short.BYTES);
    }

    /** Writes a u32 as output. */
    void reply(int id, int value) {
        output.set(AbiLayout.U32, 0, value);
        reply(id, output, Integer.BYTES);
    }

    /** Writes a u64 as output. */
    void reply(int id, long value) {
        output.set(AbiLayout.U64, 0, value);
        reply(id, output, Long.BYTES);
    }

    /** Writes the handle or descriptor of a new object into its attribute. */
    void replyNumber(int id, long number) {
        int index = bundle.indexOf(id);
        IoctlAttribute.data(copy, bundle.attributeOffset(index), number);
        writeBack(index, IoctlAttribute.DATA_OFFSET, Long.BYTES);
    }

    /** Copies a field of an attribute back to the program. */
    private void writeBack(int index, int offset, int bytes) {
        long at = bundle.attributeOffset(index) + (long) offset;
        if (!memory.write(argument + at, copy, at, bytes)) {
            throw Refusals.fault(argument + at);
        }
    }

    /**
     * Finds the file behind a descriptor of the program.
     *
     * @return null if it is no file of ours
     */
    DeviceFile file(long descriptor) {
        return descriptor < 0 || descriptor > Integer.MAX_VALUE ? null : trapped.file((int) descriptor);
    }

    /** Gives the program a descriptor of a new file. */
    int give(DeviceFile file) {
        return trapped.give(file);
    }
}
