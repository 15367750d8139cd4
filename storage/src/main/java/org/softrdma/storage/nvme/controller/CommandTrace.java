// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.util.Locale;
import org.softrdma.storage.nvme.wire.Command;
import org.softrdma.storage.nvme.wire.FabricsCommand;
import org.softrdma.storage.nvme.wire.NvmeStatus;
import org.softrdma.storage.nvme.wire.Opcode;

/** A command with its response as a line of text. */
final class CommandTrace {
    private CommandTrace() {
    }

    /** @param controller that the queue is connected to; null for none */
    static String line(CommandSlot command, int queue, Controller controller) {
        StringBuilder line = new StringBuilder();
        if (controller != null) {
            line.append("controller ").append(controller.number()).append(' ');
        }
        line.append("queue ").append(queue).append(" id ").append(Command.id(command.capsule())).append(' ').append(text(command, queue));
        line.append(": ").append(command.status() == NvmeStatus.SUCCESS ? "SUCCESS" : command.status() + " ("
            + String.format(Locale.ROOT, "%#x", command.status().code()) + ')');
        if (command.direction() != CommandSlot.Direction.NONE) {
            line.append(", ").append(command.dataBytes()).append(command.direction() == CommandSlot.Direction.TO_HOST ? " bytes to the host"
                : " bytes from the host").append(command.pointer().isInCapsule() ? " in the capsule" : "");
        }
        return line.append(command.pointer().isInvalidating() ? ", key invalidated" : "").toString();
    }

    private static String text(CommandSlot command, int queue) {
        if (command.opcode() == Opcode.FABRICS) {
            return fabrics(command);
        }
        return queue == 0 ? admin(command) : io(command);
    }

    private static String fabrics(CommandSlot command) {
        int type = FabricsCommand.type(command.capsule());
        String property = String.format(Locale.ROOT, " %#x", FabricsCommand.propertyOffset(command.capsule()));
        return switch (type) {
            case Opcode.CONNECT -> "CONNECT";
            case Opcode.PROPERTY_GET -> "PROPERTY_GET" + property;
            case Opcode.PROPERTY_SET -> "PROPERTY_SET" + property + String.format(Locale.ROOT, " to %#x",
                FabricsCommand.propertyValue(command.capsule()));
            default -> "FABRICS " + type;
        };
    }

    private static String admin(CommandSlot command) {
        String kind = String.format(Locale.ROOT, " %#x", command.dword(10) & 0xff);
        return switch (command.opcode()) {
            case Opcode.IDENTIFY -> "IDENTIFY" + kind + namespace(command);
            case Opcode.GET_LOG_PAGE -> "GET_LOG_PAGE" + kind;
            case Opcode.SET_FEATURES -> "SET_FEATURES" + kind + String.format(Locale.ROOT, " to %#x", command.dword(11));
            case Opcode.GET_FEATURES -> "GET_FEATURES" + kind;
            case Opcode.ABORT -> "ABORT";
            case Opcode.ASYNC_EVENT_REQUEST -> "ASYNC_EVENT_REQUEST";
            case Opcode.KEEP_ALIVE -> "KEEP_ALIVE";
            default -> "admin opcode " + command.opcode();
        };
    }

    private static String io(CommandSlot command) {
        String range = " block " + Long.toUnsignedString(Command.startBlock(command.capsule())) + " blocks "
            + Command.blocks(command.capsule());
        return switch (command.opcode()) {
            case Opcode.READ -> "READ" + namespace(command) + range;
            case Opcode.WRITE -> "WRITE" + namespace(command) + range;
            case Opcode.WRITE_ZEROES -> "WRITE_ZEROES" + namespace(command) + range;
            case Opcode.FLUSH -> "FLUSH" + namespace(command);
            default -> "I/O opcode " + command.opcode();
        };
    }

    private static String namespace(CommandSlot command) {
        return " namespace " + Integer.toUnsignedString(Command.namespace(command.capsule()));
    }
}
