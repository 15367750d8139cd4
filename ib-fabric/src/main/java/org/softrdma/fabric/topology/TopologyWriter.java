// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.topology;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes topologies as {@link TopologyReader} reads them. */
public final class TopologyWriter {
    private static final HexFormat HEX = HexFormat.of();

    private TopologyWriter() {
    }

    /** The text of a file. */
    public static String write(Topology topology) {
        StringBuilder text = new StringBuilder();
        for (Topology.Node node : topology.nodes()) {
            text.append(text.isEmpty() ? "" : "\n");
            append(text, node, cablesOf(node, topology.cables()));
        }
        return text.toString();
    }

    private static Map<Integer, Topology.Cable> cablesOf(Topology.Node node, List<Topology.Cable> cables) {
        Map<Integer, Topology.Cable> own = new TreeMap<>();
        for (Topology.Cable each : cables) {
            if (each.first().node().equals(node.id())) {
                own.put(each.first().port(), each);
            }
            if (each.second().node().equals(node.id())) {
                own.put(each.second().port(), new Topology.Cable(each.second(), each.first(), each.rate()));
            }
        }
        return own;
    }

    private static void append(StringBuilder text, Topology.Node node, Map<Integer, Topology.Cable> cables) {
        String guidWord = switch (node.kind()) {
            case CA -> "caguid";
            case SWITCH -> "switchguid";
            case ROUTER -> "rtguid";
        };
        if (node.vendorId() != 0) {
            text.append("vendid=0x").append(Integer.toHexString(node.vendorId())).append('\n');
        }
        if (node.deviceId() != 0) {
            text.append("devid=0x").append(Integer.toHexString(node.deviceId())).append('\n');
        }
        if (node.systemGuid() != node.guid()) {
            text.append("sysimgguid=0x").append(Long.toHexString(node.systemGuid())).append('\n');
        }
        text.append(guidWord).append("=0x").append(Long.toHexString(node.guid())).append('\n');
        text.append(node.kind().word()).append('\t').append(node.ports()).append(" \"").append(node.id()).append("\"\t\t# \"")
            .append(node.description()).append('"').append(node.enhancedPort0() ? " enhanced port 0" : "").append('\n');
        cables.forEach((port, cable) -> {
            text.append('[').append(port).append(']');
            if (node.portGuids().containsKey(port)) {
                text.append('(').append(HEX.toHexDigits(node.portGuids().get(port))).append(')');
            }
            Topology.Rate rate = cable.rate();
            text.append('\t').append(cable.second());
            if (!rate.equals(Topology.Rate.SDR_4X)) {
                text.append("\tw=").append(rate.width()).append(" s=").append(rate.speed()).append(" e=").append(rate.speedExt());
            }
            text.append('\n');
        });
    }
}
