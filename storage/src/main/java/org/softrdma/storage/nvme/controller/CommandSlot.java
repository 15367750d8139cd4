// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import org.softrdma.storage.nvme.wire.Command;
import org.softrdma.storage.nvme.wire.NvmeStatus;

/** A command in work, in the slot that received its capsule. */
final class CommandSlot {
    /** Whose data a command has. */
    enum Direction { NONE, FROM_HOST, TO_HOST }

    private final int slot;
    private final DataPointer pointer = new DataPointer();
    private ByteBuffer capsule;
    private int capsuleBytes;
    private CommandSet set;
    private Direction direction;
    private int dataBytes;
    private ByteBuffer data;
    private int buffer;
    private long result;
    private NvmeStatus status;
    private boolean held;

    CommandSlot(int slot) {
        this.slot = slot;
    }

    /** Begins with a capsule of at least the length of a command. */
    void begin(ByteBuffer capsule, int capsuleBytes) {
        this.capsule = capsule;
        this.capsuleBytes = capsuleBytes;
        set = null;
        direction = Direction.NONE;
        dataBytes = 0;
        data = null;
        buffer = QueueMachine.NO_BUFFER;
        result = 0;
        status = NvmeStatus.SUCCESS;
        held = false;
        pointer.clear();
    }

    int slot() {
        return slot;
    }

    ByteBuffer capsule() {
        return capsule;
    }

    int capsuleBytes() {
        return capsuleBytes;
    }

    DataPointer pointer() {
        return pointer;
    }

    int opcode() {
        return Command.opcode(capsule);
    }

    /** Command dword 10..15, u32. */
    int dword(int number) {
        return Command.dword(capsule, number);
    }

    CommandSet set() {
        return set;
    }

    void set(CommandSet set) {
        this.set = set;
    }

    // ---- data ----

    /** Says that the command has data from the host. */
    void takes(int bytes) {
        direction = Direction.FROM_HOST;
        dataBytes = bytes;
    }

    /** Says that the command has data for the host. */
    void gives(int bytes) {
        direction = Direction.TO_HOST;
        dataBytes = bytes;
    }

    Direction direction() {
        return direction;
    }

    int dataBytes() {
        return dataBytes;
    }

    /** The data: {@link #dataBytes} from position 0, little-endian. */
    ByteBuffer data() {
        return data;
    }

    void data(ByteBuffer data, int buffer) {
        this.data = data;
        this.buffer = buffer;
    }

    /** The buffer that the data are in, or {@link QueueMachine#NO_BUFFER} for the capsule. */
    int buffer() {
        return buffer;
    }

    // ---- outcome ----

    void fail(NvmeStatus status) {
        this.status = status;
    }

    /** Fails a Connect. @param offset of the wrong field @param inData whether it is in the data */
    void failConnect(int offset, boolean inData) {
        status = NvmeStatus.CONNECT_INVALID_PARAMETERS;
        result = offset | (inData ? 1L << 16 : 0);
    }

    boolean isFailed() {
        return status != NvmeStatus.SUCCESS;
    }

    NvmeStatus status() {
        return status;
    }

    void result(long result) {
        this.result = result;
    }

    long result() {
        return result;
    }

    /** Leaves the command without a response for now: an async event request. */
    void hold() {
        held = true;
    }

    boolean isHeld() {
        return held;
    }
}
