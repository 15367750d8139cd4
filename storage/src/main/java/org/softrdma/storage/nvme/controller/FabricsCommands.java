// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import org.softrdma.storage.nvme.wire.ConnectData;
import org.softrdma.storage.nvme.wire.ControllerProperty;
import org.softrdma.storage.nvme.wire.DiscoveryLog;
import org.softrdma.storage.nvme.wire.FabricsCommand;
import org.softrdma.storage.nvme.wire.NvmeStatus;
import org.softrdma.storage.nvme.wire.Opcode;

/** Connect, and the properties of the controller. */
final class FabricsCommands implements CommandSet {
    private static final int RECORD_FORMAT = 0;

    private final QueueMachine machine;

    FabricsCommands(QueueMachine machine) {
        this.machine = machine;
    }

    @Override
    public void prepare(CommandSlot command) {
        int type = FabricsCommand.type(command.capsule());
        boolean isAdmin = machine.queue().queue() == 0;
        if (type == Opcode.CONNECT) {
            prepareConnect(command);
        } else if (!isAdmin || type != Opcode.PROPERTY_GET && type != Opcode.PROPERTY_SET) {
            command.fail(NvmeStatus.INVALID_OPCODE);
        } else if (machine.controller() == null) {
            command.fail(NvmeStatus.COMMAND_SEQUENCE_ERROR);
        }
    }

    @Override
    public void execute(CommandSlot command) {
        switch (FabricsCommand.type(command.capsule())) {
            case Opcode.CONNECT -> connect(command);
            case Opcode.PROPERTY_GET -> getProperty(command);
            default -> setProperty(command);
        }
    }

    // ---- Connect ----

    private void prepareConnect(CommandSlot command) {
        ByteBuffer capsule = command.capsule();
        int lastEntry = FabricsCommand.lastEntry(capsule);
        if (machine.controller() != null) {
            command.fail(NvmeStatus.COMMAND_SEQUENCE_ERROR);
        } else if (FabricsCommand.recordFormat(capsule) != RECORD_FORMAT) {
            command.fail(NvmeStatus.CONNECT_INCOMPATIBLE_FORMAT);
        } else if (FabricsCommand.queue(capsule) != machine.queue().queue()) {
            command.failConnect(FabricsCommand.QUEUE_OFFSET, false);
        } else if (lastEntry == 0 || lastEntry >= machine.queue().entries()) {
            // The connection request has the size of the submission queue too; the receives were made for that.
            command.failConnect(FabricsCommand.LAST_ENTRY_OFFSET, false);
        } else {
            command.takes(ConnectData.LENGTH);
        }
    }

    private void connect(CommandSlot command) {
        ByteBuffer data = command.data();
        String host = ConnectData.host(data);
        String name = ConnectData.subsystem(data);
        boolean discovery = DiscoveryLog.NAME.equals(name);
        if (machine.controller() != null) {
            // Two Connects were sent at once.
            command.fail(NvmeStatus.COMMAND_SEQUENCE_ERROR);
        } else if (!discovery && !machine.subsystem().settings().name().equals(name)) {
            command.failConnect(ConnectData.SUBSYSTEM_OFFSET, true);
        } else if (host == null) {
            command.failConnect(ConnectData.HOST_OFFSET, true);
        } else if (machine.queue().queue() == 0) {
            connectAdmin(command, new HostIdentity(ConnectData.hostId(data), host), discovery);
        } else if (discovery) {
            // It has an admin queue only.
            command.failConnect(FabricsCommand.QUEUE_OFFSET, false);
        } else {
            connectIo(command, new HostIdentity(ConnectData.hostId(data), host));
        }
    }

    private void connectAdmin(CommandSlot command, HostIdentity host, boolean discovery) {
        if (ConnectData.controller(command.data()) != ConnectData.ANY_CONTROLLER) {
            command.failConnect(ConnectData.CONTROLLER_OFFSET, true);
            return;
        }
        long keepAliveMs = FabricsCommand.keepAliveMs(command.capsule());
        Controller created = machine.subsystem().create(host, discovery, keepAliveMs, machine.handle(), machine.nowNs());
        if (created == null) {
            command.fail(NvmeStatus.CONTROLLER_BUSY);
        } else {
            succeed(command, created);
        }
    }

    private void connectIo(CommandSlot command, HostIdentity host) {
        Controller controller = machine.subsystem().find(ConnectData.controller(command.data()));
        if (controller == null || controller.isDiscovery()) {
            command.failConnect(ConnectData.CONTROLLER_OFFSET, true);
        } else if (!controller.host().name().equals(host.name())) {
            command.failConnect(ConnectData.HOST_OFFSET, true);
        } else if (!controller.host().id().equals(host.id())) {
            command.failConnect(ConnectData.HOST_ID_OFFSET, true);
        } else {
            NvmeStatus outcome = controller.add(machine.queue().queue(), machine.handle());
            if (outcome == NvmeStatus.SUCCESS) {
                succeed(command, controller);
            } else if (outcome == NvmeStatus.CONNECT_INVALID_PARAMETERS) {
                command.failConnect(FabricsCommand.QUEUE_OFFSET, false);
            } else {
                command.fail(outcome);
            }
        }
    }

    private void succeed(CommandSlot command, Controller controller) {
        ByteBuffer capsule = command.capsule();
        machine.connect(controller, FabricsCommand.lastEntry(capsule) + 1, FabricsCommand.isWithoutFlowControl(capsule));
        command.result(controller.number());
    }

    // ---- properties ----

    private void getProperty(CommandSlot command) {
        ByteBuffer capsule = command.capsule();
        Controller controller = machine.controller();
        boolean isLong = FabricsCommand.propertyBytes(capsule) == Long.BYTES;
        int offset = FabricsCommand.propertyOffset(capsule);
        if (FabricsCommand.propertyBytes(capsule) == 0 || isLong != (offset == ControllerProperty.CAPABILITIES)) {
            command.fail(NvmeStatus.INVALID_FIELD);
            return;
        }
        switch (offset) {
            case ControllerProperty.CAPABILITIES ->
                command.result(ControllerProperty.capabilities(machine.subsystem().settings().entries()));
            case ControllerProperty.VERSION -> command.result(ControllerProperty.VERSION_1_3);
            case ControllerProperty.CONFIGURATION -> command.result(Integer.toUnsignedLong(controller.configuration()));
            case ControllerProperty.STATUS -> command.result(controller.status());
            default -> command.fail(NvmeStatus.INVALID_FIELD);
        }
    }

    private void setProperty(CommandSlot command) {
        ByteBuffer capsule = command.capsule();
        if (FabricsCommand.propertyBytes(capsule) != Integer.BYTES
            || FabricsCommand.propertyOffset(capsule) != ControllerProperty.CONFIGURATION) {
            command.fail(NvmeStatus.INVALID_FIELD);
            return;
        }
        machine.controller().configure((int) FabricsCommand.propertyValue(capsule));
        if (!machine.controller().isReady()) {
            machine.dropEventRequests();
        }
    }
}
