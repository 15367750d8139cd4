// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import org.softrdma.storage.nvme.wire.Command;
import org.softrdma.storage.nvme.wire.DataDescriptor;
import org.softrdma.storage.nvme.wire.NvmeStatus;

/** Where the data of a command are: its descriptor, checked. */
final class DataPointer {
    private boolean inCapsule;
    private long address;
    private int key;
    private boolean invalidate;

    void clear() {
        inCapsule = false;
        invalidate = false;
        key = 0;
    }

    /**
     * Reads the key that the response must invalidate, before anything else is checked: responses of errors invalidate it too.
     *
     * @param capsule of at least the length of a command
     */
    void readInvalidation(ByteBuffer capsule) {
        if (DataDescriptor.type(capsule, Command.DESCRIPTOR_OFFSET) == DataDescriptor.KEYED_INVALIDATE) {
            invalidate = true;
            key = DataDescriptor.key(capsule, Command.DESCRIPTOR_OFFSET);
        }
    }

    /**
     * Checks the descriptor of a command that has data.
     *
     * @param inCapsuleAllowed whether the queue takes in-capsule data for this direction
     * @return SUCCESS, or the status of the command
     */
    NvmeStatus check(CommandSlot command, boolean inCapsuleAllowed) {
        ByteBuffer capsule = command.capsule();
        int at = Command.DESCRIPTOR_OFFSET;
        address = DataDescriptor.address(capsule, at);
        return switch (DataDescriptor.type(capsule, at)) {
            case DataDescriptor.KEYED, DataDescriptor.KEYED_INVALIDATE -> {
                key = DataDescriptor.key(capsule, at);
                yield DataDescriptor.keyedLength(capsule, at) == command.dataBytes() ? NvmeStatus.SUCCESS : NvmeStatus.DATA_LENGTH_INVALID;
            }
            case DataDescriptor.IN_CAPSULE -> {
                inCapsule = true;
                yield inCapsuleAllowed ? checkInCapsule(command, DataDescriptor.inCapsuleLength(capsule, at))
                    : NvmeStatus.DESCRIPTOR_TYPE_INVALID;
            }
            default -> NvmeStatus.DESCRIPTOR_TYPE_INVALID;
        };
    }

    private NvmeStatus checkInCapsule(CommandSlot command, long length) {
        if (length != command.dataBytes()) {
            return NvmeStatus.DATA_LENGTH_INVALID;
        }
        int present = command.capsuleBytes() - Command.LENGTH;
        boolean within = address >= 0 && address <= present && length <= present - address;
        return within ? NvmeStatus.SUCCESS : NvmeStatus.OFFSET_INVALID;
    }

    boolean isInCapsule() {
        return inCapsule;
    }

    /** Address of the host's memory, or offset into the in-capsule data. */
    long address() {
        return address;
    }

    int key() {
        return key;
    }

    /** Whether the response invalidates {@link #key}. */
    boolean isInvalidating() {
        return invalidate;
    }
}
