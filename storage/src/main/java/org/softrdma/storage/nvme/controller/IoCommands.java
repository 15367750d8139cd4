// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import org.softrdma.storage.nvme.store.BlockStore;
import org.softrdma.storage.nvme.store.StoreException;
import org.softrdma.storage.nvme.wire.Command;
import org.softrdma.storage.nvme.wire.NvmeStatus;
import org.softrdma.storage.nvme.wire.Opcode;

/**
 * Commands of an I/O queue: read, write, flush, write zeroes. They are executed one after another on the queue's thread; the queues of a
 * host work at the same time.
 *
 * <p>Source: NVMe 1.3 §6.
 */
final class IoCommands implements CommandSet {
    private static final System.Logger LOG = System.getLogger(IoCommands.class.getName());
    private static final int ALL_NAMESPACES = 0xffffffff;

    private final Subsystem subsystem;
    private final Controller controller;

    IoCommands(Subsystem subsystem, Controller controller) {
        this.subsystem = subsystem;
        this.controller = controller;
    }

    @Override
    public void prepare(CommandSlot command) {
        int opcode = command.opcode();
        Namespace namespace = namespace(command);
        if (opcode != Opcode.READ && opcode != Opcode.WRITE && opcode != Opcode.FLUSH && opcode != Opcode.WRITE_ZEROES) {
            command.fail(NvmeStatus.INVALID_OPCODE);
        } else if (namespace == null && !(opcode == Opcode.FLUSH && Command.namespace(command.capsule()) == ALL_NAMESPACES)) {
            command.fail(NvmeStatus.INVALID_NAMESPACE);
        } else if (opcode != Opcode.FLUSH) {
            prepareRange(command, opcode, namespace);
        }
    }

    /** @return null if there is none, or all are meant */
    private Namespace namespace(CommandSlot command) {
        return subsystem.namespace(Command.namespace(command.capsule()));
    }

    private static void prepareRange(CommandSlot command, int opcode, Namespace namespace) {
        long start = Command.startBlock(command.capsule());
        int blocks = Command.blocks(command.capsule());
        if (start < 0 || blocks > namespace.blocks() || start > namespace.blocks() - blocks) {
            command.fail(NvmeStatus.LBA_OUT_OF_RANGE);
        } else if (opcode != Opcode.READ && namespace.store().isReadOnly()) {
            command.fail(NvmeStatus.NAMESPACE_WRITE_PROTECTED);
        } else if (opcode == Opcode.READ) {
            command.gives(blocks << namespace.blockShift());
        } else if (opcode == Opcode.WRITE) {
            command.takes(blocks << namespace.blockShift());
        }
    }

    @Override
    public void execute(CommandSlot command) {
        Namespace namespace = namespace(command);
        try {
            if (namespace == null) {
                for (Namespace each : subsystem.namespaces()) {
                    each.store().flush();
                }
            } else {
                execute(command, namespace);
            }
        } catch (StoreException failed) {
            LOG.log(System.Logger.Level.WARNING, failed.getMessage());
            subsystem.counters().count(NvmeCounter.STORE_FAILURES);
            command.fail(command.opcode() == Opcode.READ ? NvmeStatus.UNRECOVERED_READ_ERROR : NvmeStatus.WRITE_FAULT);
        }
    }

    private void execute(CommandSlot command, Namespace namespace) throws StoreException {
        BlockStore store = namespace.store();
        long position = Command.startBlock(command.capsule()) << namespace.blockShift();
        boolean changes = command.opcode() == Opcode.WRITE || command.opcode() == Opcode.WRITE_ZEROES;
        switch (command.opcode()) {
            case Opcode.READ -> store.read(position, command.data());
            case Opcode.WRITE -> store.write(position, command.data());
            case Opcode.WRITE_ZEROES -> store.zero(position, (long) Command.blocks(command.capsule()) << namespace.blockShift());
            default -> store.flush();
        }
        if (changes && (Command.isForced(command.capsule()) || !controller.features().hasWriteCache())) {
            store.flush();
        }
    }
}
