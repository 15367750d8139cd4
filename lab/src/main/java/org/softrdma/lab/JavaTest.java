// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.softrdma.lab.world.Command;
import org.softrdma.lab.world.Scene;
import org.softrdma.testing.DeviceKind;

/** Writes what a learner did as a JUnit test with softrdma-junit. */
final class JavaTest {
    private static final int MEMORY_BYTES = 65_536;

    private JavaTest() {
    }

    static String of(Scene scene, List<Command> commands) {
        if (scene == null) {
            throw new IllegalArgumentException("no simulation is shown");
        }
        List<String> lines = new ArrayList<>();
        lines.add("@SoftRdma(devices = " + scene.devices().size() + ", kind = DeviceKind." + kind(scene) + ", faults = \"" + scene.faults()
            + "\", seed = " + scene.seed() + ")");
        lines.add("class FromTheLabTest {");
        lines.add("    @Test");
        lines.add("    void shouldDoAsInTheLab(Fabric fabric) {");
        for (int i = 0; i < scene.connections().size(); i++) {
            Scene.Connection each = scene.connections().get(i);
            lines.add("        RdmaPair pair" + i + " = fabric.pair(" + each.left() + ", " + each.right() + ");");
            lines.add("        MemoryRegion left" + i + " = pair" + i + ".left().register(" + MEMORY_BYTES + ");");
            lines.add("        MemoryRegion right" + i + " = pair" + i + ".right().register(" + MEMORY_BYTES + ");");
            for (int receive = 0; receive < each.receives(); receive++) {
                lines.add("        " + receive(2 * i + 1, each.receiveBytes()));
            }
        }
        commands.forEach(command -> lines.add("        " + line(command)));
        for (int i = 0; i < scene.connections().size(); i++) {
            lines.add("        left" + i + ".close();");
            lines.add("        right" + i + ".close();");
        }
        lines.add("    }");
        lines.add("}");
        return String.join("\n", lines) + "\n";
    }

    private static DeviceKind kind(Scene scene) {
        return scene.devices().getFirst().kind();
    }

    private static String end(int number) {
        return "pair" + number / 2 + (number % 2 == 0 ? ".left()" : ".right()");
    }

    private static String memory(int number) {
        return (number % 2 == 0 ? "left" : "right") + number / 2;
    }

    private static String receive(int end, int bytes) {
        return end(end) + ".qp().postReceive(new ReceiveRequest().begin(1).element(" + memory(end) + ", 0, " + bytes + "));";
    }

    private static String line(Command command) {
        int end = command.end() == null ? 0 : command.end();
        int bytes = command.bytes() == null ? 64 : command.bytes();
        String peer = memory(end ^ 1);
        String target = "wrong".equals(command.key()) ? "(" + peer + ".address(), 0xbad0b)"
            : "beyond".equals(command.key()) ? "(" + peer + ".address() + " + peer + ".length() - " + bytes / 2 + ", " + peer + ".rkey())"
            : "(" + peer + ".address(), " + peer + ".rkey())";
        String fence = Boolean.TRUE.equals(command.fence()) ? ".fence()" : "";
        return switch (command.action()) {
            case "write", "read" -> post(end, command.action() + target, bytes, fence);
            case "send" -> post(end, "send()", bytes, fence);
            case "fetch_add" -> post(end, "fetchAndAdd" + insert(target, ", 1"), Long.BYTES, fence);
            case "compare_swap" -> post(end, "compareAndSwap" + insert(target, ", 0, 1"), Long.BYTES, fence);
            case "receive" -> receive(end, bytes);
            case "faults" -> "fabric.faults(\"" + command.text() + "\");";
            case "kill" -> "fabric.kill(" + command.device() + ");";
            case "heal" -> "fabric.heal();";
            case "partition" -> String.format(Locale.ROOT, "fabric.partition(%d, %d, Duration.ofMillis(%d));", end % 2, 1 - end % 2,
                command.count() == null ? 1 : command.count());
            case "modify" -> end(end) + ".qp().modify(new QpAttributes().state(QpState." + command.state() + "));";
            default -> "// " + command.action() + ": see docs/testing-java.md";
        };
    }

    /** Adds arguments before the last parenthesis. */
    private static String insert(String call, String arguments) {
        return call.substring(0, call.length() - 1) + arguments + ")";
    }

    private static String post(int end, String request, int bytes, String fence) {
        return end(end) + ".qp().postSend(new SendRequest()." + request + ".wrId(1).element(" + memory(end) + ", 0, " + bytes + ")" + fence
            + ".signaled());\n        System.out.println(" + end(end) + ".await());";
    }
}
