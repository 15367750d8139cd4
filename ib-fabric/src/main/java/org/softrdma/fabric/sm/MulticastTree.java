// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The tree by which packets of one multicast group travel: the shortest ways from the switch of one member to those of the others. A packet
 * that a switch receives by one port of the tree leaves by all its other ones, so every member gets it once. Source: IBA vol 1 §14.4.4.
 */
final class MulticastTree {
    private final Map<ManagedNode, BitSet> ports = new HashMap<>();
    /** Port of each switch that leads towards the first one. */
    private final Map<ManagedNode, ManagedPort> back = new HashMap<>();

    private MulticastTree() {
    }

    /**
     * Builds the tree of a group.
     *
     * @param members PortGUIDs
     * @return ports of each switch that is in the tree
     */
    static Map<ManagedNode, BitSet> of(Discovery found, Set<Long> members) {
        MulticastTree tree = new MulticastTree();
        for (ManagedNode node : found.nodes()) {
            for (ManagedPort each : node.ports.values()) {
                ManagedPort entry = each.number == 0 ? each : each.peer;
                boolean reached = each.isEnd() && members.contains(each.guid) && entry != null && entry.node.switchInfo != null;
                if (reached && (each.number == 0 || each.hasLink())) {
                    tree.add(entry);
                }
            }
        }
        return tree.ports;
    }

    /** @param entry port of a switch at which a member is */
    private void add(ManagedPort entry) {
        if (back.isEmpty()) {
            spread(entry.node);
        }
        if (!back.containsKey(entry.node)) {
            return;
        }
        set(entry);
        ManagedPort up = back.get(entry.node);
        while (up != null && !isSet(up)) {
            set(up);
            set(up.peer);
            up = back.get(up.peer.node);
        }
    }

    /** Finds the shortest ways to one switch from all others. */
    private void spread(ManagedNode first) {
        ArrayDeque<ManagedNode> queue = new ArrayDeque<>();
        back.put(first, null);
        for (ManagedNode node = first; node != null; node = queue.poll()) {
            for (ManagedPort each : node.ports.values()) {
                ManagedPort peer = each.hasLink() ? each.peer : null;
                if (peer != null && peer.hasLink() && peer.node.switchInfo != null && !back.containsKey(peer.node)) {
                    back.put(peer.node, peer);
                    queue.add(peer.node);
                }
            }
        }
    }

    private void set(ManagedPort port) {
        ports.computeIfAbsent(port.node, node -> new BitSet()).set(port.number);
    }

    private boolean isSet(ManagedPort port) {
        return ports.containsKey(port.node) && ports.get(port.node).get(port.number);
    }
}
