// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfo;

/**
 * One look at the whole subnet by directed routes, from the manager's own node outwards: what nodes there are, which ports have links, and
 * where these lead. Source: IBA vol 1 §14.4.
 */
final class Discovery {
    /** Nodes at most; further ones are left alone. */
    static final int MAX_NODES = 16_384;

    private final RequestQueue requests;
    private final Counters<SmCounter> counters;
    private final boolean clears;
    private final Map<Long, ManagedNode> nodes = new LinkedHashMap<>();
    private boolean complete = true;
    private boolean leavesNotes;
    private ManagedPort own;

    /** @param clears whether the notes of changes are for this manager: it is the master */
    Discovery(RequestQueue requests, Counters<SmCounter> counters, boolean clears) {
        this.requests = requests;
        this.counters = counters;
        this.clears = clears;
    }

    void begin() {
        probe(new byte[1], null);
    }

    /** Nodes in the order they were found. */
    List<ManagedNode> nodes() {
        return new ArrayList<>(nodes.values());
    }

    /** The port that the manager uses, port 0 on a switch; null if its own node did not answer. */
    ManagedPort own() {
        return own;
    }

    /** Whether all that should have answered did. */
    boolean isComplete() {
        return complete;
    }

    /** Whether switches have notes of changes that were left for the master. */
    boolean leavesNotes() {
        return leavesNotes;
    }

    /** @param from port whose cable leads to the node; null for the manager's own node */
    private void probe(byte[] path, ManagedPort from) {
        requests.add(SmAttribute.NODE_INFO, 0, path, null, mad -> onNodeInfo(path, from, mad));
    }

    private void onNodeInfo(byte[] path, ManagedPort from, ByteBuffer mad) {
        if (mad == null) {
            complete = false;
            return;
        }
        int at = Smp.DATA_OFFSET;
        int type = NodeInfo.TYPE.get(mad, at);
        int count = NodeInfo.PORTS.get(mad, at);
        int arrival = NodeInfo.LOCAL_PORT.get(mad, at);
        boolean isSwitch = type == NodeInfo.TYPE_SWITCH;
        if (type < NodeInfo.TYPE_CA || type > NodeInfo.TYPE_ROUTER || count == 0 || count == 0xFF || arrival > count
            || arrival == 0 && (!isSwitch || from != null)) {
            counters.count(SmCounter.DROP_BAD_NODE);
            return;
        }
        long guid = NodeInfo.NODE_GUID.getLong(mad, at);
        ManagedNode node = nodes.get(guid);
        if (node == null) {
            if (nodes.size() == MAX_NODES) {
                counters.count(SmCounter.DROP_OUT_OF_REACH);
                return;
            }
            node = new ManagedNode(dataOf(mad, NodeInfo.LENGTH), path);
            nodes.put(guid, node);
            readDescription(node);
            addSwitchPorts(node, NodeInfo.PORT_GUID.getLong(mad, at));
        } else if (node.isSwitch != isSwitch || node.portCount != count) {
            counters.count(SmCounter.DROP_BAD_NODE);
            return;
        }
        if (!isSwitch && !node.ports.containsKey(arrival)) {
            ManagedPort port = new ManagedPort(node, arrival, path, NodeInfo.PORT_GUID.getLong(mad, at));
            node.ports.put(arrival, port);
            readPort(port, from == null);
        }
        if (from == null) {
            own = node.ports.get(isSwitch ? 0 : arrival);
        } else {
            connect(from, node.ports.get(arrival));
        }
    }

    private void readDescription(ManagedNode node) {
        requests.add(SmAttribute.NODE_DESCRIPTION, 0, node.path, null, mad -> {
            complete &= mad != null;
            if (mad != null) {
                node.description = dataOf(mad, Smp.DATA_LENGTH);
            }
        });
    }

    private static void connect(ManagedPort one, ManagedPort other) {
        one.peer = other;
        other.peer = one;
    }

    private void addSwitchPorts(ManagedNode node, long guid) {
        if (!node.isSwitch) {
            return;
        }
        for (int i = 0; i <= node.portCount; i++) {
            node.ports.put(i, new ManagedPort(node, i, node.path, i == 0 ? guid : 0));
        }
        requests.add(SmAttribute.SWITCH_INFO, 0, node.path, null, mad -> onSwitchInfo(node, mad));
    }

    /** Clears a switch's note of changes before its ports are read, so that a later change is noted again. */
    private void onSwitchInfo(ManagedNode node, ByteBuffer mad) {
        if (mad == null) {
            complete = false;
            return;
        }
        node.switchInfo = dataOf(mad, SwitchInfo.LENGTH);
        boolean noted = SwitchInfo.PORT_STATE_CHANGE.isSet(node.switchInfo, 0);
        leavesNotes |= noted && !clears;
        if (noted && clears) {
            requests.add(SmAttribute.SWITCH_INFO, 0, node.path, node.switchInfo, cleared -> {
                complete &= cleared != null;
                readPorts(node);
            });
        } else {
            readPorts(node);
        }
    }

    private void readPorts(ManagedNode node) {
        node.ports.values().forEach(each -> readPort(each, true));
    }

    /** @param onwards whether packets can go on by the port */
    private void readPort(ManagedPort port, boolean onwards) {
        requests.add(SmAttribute.PORT_INFO, port.number, port.path, null, mad -> {
            if (mad == null) {
                complete = false;
                return;
            }
            port.info = dataOf(mad, PortInfo.LENGTH);
            if (onwards && port.hasLink() && port.peer == null) {
                goOn(port);
            }
        });
    }

    private void goOn(ManagedPort port) {
        int hops = port.path.length;
        if (hops > Smp.MAX_HOPS) {
            counters.count(SmCounter.DROP_OUT_OF_REACH);
            return;
        }
        byte[] path = Arrays.copyOf(port.path, hops + 1);
        path[hops] = (byte) port.number;
        probe(path, port);
    }

    private static ByteBuffer dataOf(ByteBuffer mad, int length) {
        ByteBuffer copy = ByteBuffer.allocate(length);
        copy.put(0, mad, Smp.DATA_OFFSET, length);
        return copy;
    }
}
