// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import org.softrdma.storage.nvme.wire.NvmeStatus;
import org.softrdma.storage.nvme.wire.Opcode;

/** Commands of an admin queue. */
final class AdminCommands implements CommandSet {
    /** Result of an Abort: the command was not aborted. */
    private static final int NOT_ABORTED = 1;

    private final QueueMachine machine;
    private final Identification identification;
    private final LogPages logPages;
    private final Features features;

    AdminCommands(QueueMachine machine) {
        this.machine = machine;
        identification = new Identification(machine.controller());
        logPages = new LogPages(LogPages::ofSubsystem);
        features = machine.controller().features();
    }

    @Override
    public void prepare(CommandSlot command) {
        switch (command.opcode()) {
            case Opcode.IDENTIFY -> identification.prepare(command);
            case Opcode.GET_LOG_PAGE -> logPages.prepare(command);
            case Opcode.GET_FEATURES, Opcode.SET_FEATURES, Opcode.KEEP_ALIVE, Opcode.ABORT -> {
                // Without data.
            }
            case Opcode.ASYNC_EVENT_REQUEST -> machine.checkEventRequest(command);
            default -> command.fail(NvmeStatus.INVALID_OPCODE);
        }
    }

    @Override
    public void execute(CommandSlot command) {
        switch (command.opcode()) {
            case Opcode.IDENTIFY -> identification.execute(command);
            case Opcode.GET_LOG_PAGE -> logPages.execute(command);
            case Opcode.GET_FEATURES -> features.get(command);
            case Opcode.SET_FEATURES -> features.set(command);
            // Commands are executed as they come: there is never one to abort.
            case Opcode.ABORT -> command.result(NOT_ABORTED);
            case Opcode.ASYNC_EVENT_REQUEST -> machine.hold(command);
            default -> {
                // Keep Alive: every command restarts the timer.
            }
        }
    }
}
