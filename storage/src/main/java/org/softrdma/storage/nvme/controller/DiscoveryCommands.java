// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Locale;
import org.softrdma.storage.nvme.wire.DiscoveryLog;
import org.softrdma.storage.nvme.wire.IdentifyController;
import org.softrdma.storage.nvme.wire.NvmeStatus;
import org.softrdma.storage.nvme.wire.Opcode;

/**
 * Commands of the admin queue of a discovery controller, which has no other queue and no namespace: it lists the addresses of the
 * subsystem.
 *
 * <p>Source: NVMe over Fabrics 1.1 §5.
 */
final class DiscoveryCommands implements CommandSet {
    private static final int CONTROLLER = 1;
    private static final int DISCOVERY = 0x70;

    private final QueueMachine machine;
    private final Features features;
    private final LogPages logPages = new LogPages(this::page);

    DiscoveryCommands(QueueMachine machine) {
        this.machine = machine;
        features = machine.controller().features();
    }

    @Override
    public void prepare(CommandSlot command) {
        switch (command.opcode()) {
            case Opcode.IDENTIFY -> {
                if ((command.dword(10) & 0xff) != CONTROLLER) {
                    command.fail(NvmeStatus.INVALID_FIELD);
                }
                command.gives(IdentifyController.LENGTH);
            }
            case Opcode.GET_LOG_PAGE -> logPages.prepare(command);
            case Opcode.GET_FEATURES, Opcode.SET_FEATURES -> {
                if (!Features.isOfDiscovery(command)) {
                    command.fail(NvmeStatus.INVALID_FIELD);
                }
            }
            case Opcode.KEEP_ALIVE -> {
                // Without data.
            }
            case Opcode.ASYNC_EVENT_REQUEST -> machine.checkEventRequest(command);
            default -> command.fail(NvmeStatus.INVALID_OPCODE);
        }
    }

    @Override
    public void execute(CommandSlot command) {
        switch (command.opcode()) {
            case Opcode.IDENTIFY -> identify(command.data());
            case Opcode.GET_LOG_PAGE -> logPages.execute(command);
            case Opcode.GET_FEATURES -> features.get(command);
            case Opcode.SET_FEATURES -> features.set(command);
            case Opcode.ASYNC_EVENT_REQUEST -> machine.hold(command);
            default -> {
                // Keep Alive: every command restarts the timer.
            }
        }
    }

    private void identify(ByteBuffer data) {
        for (int at = 0; at < data.limit(); at += Long.BYTES) {
            data.putLong(at, 0);
        }
        String serial = String.format(Locale.ROOT, "%016x", machine.subsystem().identity().getMostSignificantBits());
        new IdentifyController(machine.controller().number(), DiscoveryLog.NAME, serial,
            machine.subsystem().settings().largestTransfer(), SubsystemSettings.ADMIN_ENTRIES, 0, 0).putDiscovery(data);
    }

    /** @return null if there is no such page */
    private ByteBuffer page(int number) {
        if (number != DISCOVERY) {
            return null;
        }
        List<Portal> portals = machine.portals();
        ByteBuffer page = ByteBuffer.allocate(DiscoveryLog.LENGTH * (1 + portals.size())).order(ByteOrder.LITTLE_ENDIAN);
        DiscoveryLog.putHeader(page, portals.size());
        int at = DiscoveryLog.LENGTH;
        for (Portal each : portals) {
            DiscoveryLog.putEntry(page, at, each.number(), each.ipv6(), each.address(), Integer.toString(each.port()),
                machine.subsystem().settings().name(), SubsystemSettings.ADMIN_ENTRIES);
            at += DiscoveryLog.LENGTH;
        }
        return page;
    }
}
