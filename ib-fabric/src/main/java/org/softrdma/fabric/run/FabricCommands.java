// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.softrdma.fabric.attach.PortMessages;
import org.softrdma.fabric.host.FabricHost;
import org.softrdma.fabric.model.Cable;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricNode;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.FabricSwitch;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.PortInfo;

/** Commands that show and change a running fabric, one line each. */
final class FabricCommands {
    private static final String USAGE = "show nodes | show ports | show cables | show routes SWITCH | show groups SWITCH | show counters"
        + " | pull NODE PORT | plug NODE PORT | loss NODE PORT PERCENT | reset NODE";

    private FabricCommands() {
    }

    /** A command that cannot be executed; the message says why. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String why) {
            super(why);
        }
    }

    /**
     * Executes a command.
     *
     * @return lines of the answer, each with its line end
     * @throws Refused nothing was changed
     */
    static String execute(Fabric fabric, List<String> words) {
        String verb = words.getFirst();
        List<String> rest = words.subList(1, words.size());
        return switch (verb) {
            case "show" -> show(fabric, rest);
            case "registers" -> registers(adapterPort(fabric, rest));
            case "pull" -> {
                fabric.pull(cable(fabric, rest, 2), FabricHost.nowNs());
                yield "";
            }
            case "plug" -> {
                fabric.plug(cable(fabric, rest, 2), FabricHost.nowNs());
                yield "";
            }
            case "loss" -> {
                fabric.setLoss(cable(fabric, rest, 3), percent(rest.get(2)));
                yield "";
            }
            case "reset" -> {
                fabric.powerCycle(node(fabric, rest, 1), FabricHost.nowNs());
                yield "";
            }
            default -> throw new Refused("unknown command '" + verb + "'; known are: " + USAGE);
        };
    }

    private static String show(Fabric fabric, List<String> words) {
        String what = words.isEmpty() ? "" : words.getFirst();
        List<String> rest = words.subList(Math.min(1, words.size()), words.size());
        return switch (what) {
            case "nodes" -> nodes(fabric);
            case "ports" -> ports(fabric);
            case "cables" -> cables(fabric);
            case "routes" -> routes(aSwitch(fabric, rest));
            case "groups" -> groups(aSwitch(fabric, rest));
            case "counters" -> counters(fabric);
            default -> throw new Refused("show what? Known are: " + USAGE);
        };
    }

    /** The registers of a port for programs, as hexadecimal digits of {@link PortMessages}. */
    private static String registers(FabricPort port) {
        ByteBuffer bytes = ByteBuffer.allocate(PortMessages.PORT_LENGTH);
        port.copyRegisters(bytes, 0, 0);
        return HexFormat.of().formatHex(bytes.array()) + "\n";
    }

    // ---- arguments ----

    private static void count(List<String> words, int wanted) {
        if (words.size() != wanted) {
            throw new Refused(wanted + " arguments are needed, got " + words + "; known commands are: " + USAGE);
        }
    }

    private static FabricNode node(Fabric fabric, List<String> words, int wanted) {
        count(words, wanted);
        FabricNode node = fabric.find(words.getFirst());
        if (node == null) {
            throw new Refused("no node has the id or description '" + words.getFirst() + "'; show nodes lists them");
        }
        return node;
    }

    private static FabricSwitch aSwitch(Fabric fabric, List<String> words) {
        FabricNode node = node(fabric, words, 1);
        if (node instanceof FabricSwitch found) {
            return found;
        }
        throw new Refused(node + " is no switch");
    }

    /** A port from the words NODE PORT. */
    private static FabricPort port(Fabric fabric, List<String> words, int wanted) {
        FabricNode node = node(fabric, words, wanted);
        try {
            FabricPort port = node.port(Integer.parseInt(words.get(1)));
            if (port != null) {
                return port;
            }
        } catch (NumberFormatException other) {
            // the same complaint
        }
        throw new Refused("'" + words.get(1) + "' is no port of " + node + ", which has 1.." + node.ports());
    }

    /**
     * The port of an adapter or router from the words NODE PORT.
     *
     * @throws Refused there is none, or it is a switch's
     */
    static FabricPort adapterPort(Fabric fabric, List<String> words) {
        FabricPort port = port(fabric, words, 2);
        if (port.node().isSwitch()) {
            throw new Refused(port.node() + " is a switch; devices are at channel adapters: show nodes lists them");
        }
        return port;
    }

    private static Cable cable(Fabric fabric, List<String> words, int wanted) {
        FabricPort port = port(fabric, words, wanted);
        if (port.cable() == null) {
            throw new Refused(port + " has no cable");
        }
        return port.cable();
    }

    private static double percent(String word) {
        try {
            double percent = Double.parseDouble(word.endsWith("%") ? word.substring(0, word.length() - 1) : word);
            if (percent >= 0 && percent <= 100) {
                return percent / 100;
            }
        } catch (NumberFormatException other) {
            // the same complaint
        }
        throw new Refused("'" + word + "' is no share of packets: 0 to 100 percent");
    }

    // ---- answers ----

    private static String nodes(Fabric fabric) {
        StringBuilder text = new StringBuilder();
        for (FabricNode each : fabric.nodes()) {
            text.append(String.format(Locale.ROOT, "%-7s %-20s guid 0x%016x ports %d \"%s\"%n", each.kind().word(), each.id(), each.guid(),
                each.ports(), each.description()));
        }
        return text.toString();
    }

    private static String ports(Fabric fabric) {
        StringBuilder text = new StringBuilder();
        for (FabricNode node : fabric.nodes()) {
            for (int i = 0; i <= node.ports(); i++) {
                FabricPort port = node.port(i);
                if (port != null && (port.cable() != null || i == 0)) {
                    text.append(String.format(Locale.ROOT, "%-24s %-10s lid %-5d%s%n", node.id() + "[" + i + "]",
                        PortInfo.stateName(port.state()), port.lid(), port.peer() == null ? "" : " to " + port.peer().node().id() + "["
                            + port.peer().number() + "]"));
                }
            }
        }
        return text.toString();
    }

    private static String cables(Fabric fabric) {
        StringBuilder text = new StringBuilder();
        for (Cable each : fabric.cables()) {
            text.append(String.format(Locale.ROOT, "%s[%d] - %s[%d]%s%s%n", each.first().node().id(), each.first().number(),
                each.second().node().id(), each.second().number(), each.isPlugged() ? "" : " pulled",
                each.loss() == 0 ? "" : String.format(Locale.ROOT, " loss %s%%", each.loss() * 100)));
        }
        return text.toString();
    }

    private static String routes(FabricSwitch node) {
        StringBuilder text = new StringBuilder();
        for (int lid = 1; lid <= Lrh.LAST_UNICAST_LID; lid++) {
            int port = node.outputPort(lid);
            if (port != LinearForwardingBlock.NO_PORT) {
                text.append(String.format(Locale.ROOT, "lid %-5d port %d%n", lid, port));
            }
        }
        return text.toString();
    }

    private static String groups(FabricSwitch node) {
        StringBuilder text = new StringBuilder();
        for (int mlid = Lrh.FIRST_MULTICAST_LID; mlid <= Lrh.LAST_MULTICAST_LID; mlid++) {
            StringBuilder members = new StringBuilder();
            for (int port = 0; port <= node.ports(); port++) {
                if (node.isGroupPort(mlid, port)) {
                    members.append(' ').append(port);
                }
            }
            if (!members.isEmpty()) {
                text.append(String.format(Locale.ROOT, "mlid 0x%x ports%s%n", mlid, members));
            }
        }
        return text.toString();
    }

    private static String counters(Fabric fabric) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Long> each : fabric.counters().toMap().entrySet()) {
            text.append(String.format(Locale.ROOT, "%-26s %d%n", each.getKey(), each.getValue()));
        }
        return text.toString();
    }

    /** Splits a line at blanks; double quotes keep those of a description together. */
    static List<String> words(String line) {
        return Arrays.stream(line.strip().split(" +(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)"))
            .map(each -> each.replace("\"", "")).toList();
    }
}
