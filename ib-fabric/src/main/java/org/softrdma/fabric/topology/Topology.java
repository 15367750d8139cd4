// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.topology;

import java.util.List;
import java.util.Map;

/**
 * Nodes and cables of a subnet, as a file describes them.
 *
 * @param nodes  in the order of the file; ids are unique
 * @param cables each once
 */
public record Topology(List<Node> nodes, List<Cable> cables) {
    /** Kind of a node. The number is the NodeType of NodeInfo. */
    public enum Kind {
        CA(1, "Ca", "H"),
        SWITCH(2, "Switch", "S"),
        ROUTER(3, "Rt", "R");

        private final int number;
        private final String word;
        private final String prefix;

        Kind(int number, String word, String prefix) {
            this.number = number;
            this.word = word;
            this.prefix = prefix;
        }

        public int number() {
            return number;
        }

        /** The word that ibnetdiscover prints. */
        public String word() {
            return word;
        }

        /** First letter of ibnetdiscover's id of such a node. */
        public String prefix() {
            return prefix;
        }
    }

    /**
     * A node.
     *
     * @param id          name by which cables refer to it
     * @param description text of the NodeDescription
     * @param ports       physical ports, numbered from 1
     * @param portGuids   GUIDs of ports that differ from the usual ones, by number
     * @param enhancedPort0 whether port 0 of a switch is an enhanced one
     */
    public record Node(Kind kind, String id, String description, int ports, long guid, long systemGuid, int vendorId, int deviceId,
                       Map<Integer, Long> portGuids, boolean enhancedPort0) {
        /** GUID of a port: the node's on a switch, and on others usually the node's plus the number. */
        public long portGuid(int port) {
            return kind == Kind.SWITCH ? guid : portGuids.getOrDefault(port, guid + port);
        }
    }

    /**
     * One end of a cable.
     *
     * @param node id
     * @param port from 1
     */
    public record End(String node, int port) {
        @Override
        public String toString() {
            return "\"" + node + "\"[" + port + "]";
        }
    }

    /**
     * Lanes and speeds that are enabled at both ends of a cable, as bits of PortInfo.
     *
     * @param width    LinkWidthEnabled
     * @param speed    LinkSpeedEnabled
     * @param speedExt LinkSpeedExtEnabled
     */
    public record Rate(int width, int speed, int speedExt) {
        /** 4x at 2.5 Gbit/s, as ibsim has it without other words. */
        public static final Rate SDR_4X = new Rate(2, 1, 0);
    }

    /** A cable between two ports. */
    public record Cable(End first, End second, Rate rate) {
    }

    /** The node of an id or, if there is none, the first one with that description; null if there is neither. */
    public Node find(String name) {
        return nodes.stream().filter(each -> each.id().equals(name)).findFirst()
            .orElseGet(() -> nodes.stream().filter(each -> each.description().equals(name)).findFirst().orElse(null));
    }
}
