// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.fabric.partition.PartitionPort;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.sa.MulticastGroup;
import org.softrdma.fabric.sa.Subnet;
import org.softrdma.fabric.sa.SubnetNode;
import org.softrdma.fabric.sa.SubnetPort;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MulticastForwardingBlock;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfo;

/**
 * All that the master writes in one heavy sweep: the LIDs of ports, the tables of switches, and the states of links. Each method adds
 * requests; the next one follows when they are answered or given up. Source: IBA vol 1 §14.4.4, and opensm for values that are the
 * manager's choice.
 */
final class SubnetWriter {
    /** About a second. */
    private static final int SUBNET_TIMEOUT = 18;
    /** Life time of packets in a switch, and in its queues to another switch and to an adapter: 4.096 µs · 2^value; opensm's. */
    private static final int PACKET_LIFE_TIME = 18;
    private static final int QUEUE_LIFE_TIME = 18;
    private static final int LEAF_QUEUE_LIFE_TIME = 16;
    /** Packets that are dropped in sequence before a lane is stalled; opensm's. */
    private static final int STALL_COUNT = 7;
    /** LinkSpeedEnabled and LinkSpeedExtEnabled: all that are supported, from the next training on. */
    private static final int ALL_SPEEDS = 0xF;
    private static final int ALL_EXTENDED_SPEEDS = 0x1F;
    /** Errors of a link, and overruns of a buffer, that are reported when they come in sequence; opensm's. */
    private static final int ERROR_THRESHOLD = 8;
    private static final BitSet NO_PORTS = new BitSet();

    private final Discovery found;
    private final LidTable lids;
    private final Partitions partitions;
    private final RequestQueue requests;
    private final Counters<SmCounter> counters;
    private final Map<ManagedNode, Integer> numbers = new LinkedHashMap<>();
    private ForwardingTables tables;
    /** Ports of each switch for a group, by the group's multicast LID. */
    private Map<Integer, Map<ManagedNode, BitSet>> trees = Map.of();
    private boolean complete = true;

    SubnetWriter(Discovery found, LidTable lids, Partitions partitions, RequestQueue requests, Counters<SmCounter> counters) {
        this.found = found;
        this.lids = lids;
        this.partitions = partitions;
        this.requests = requests;
        this.counters = counters;
    }

    /** Whether everything was found and has taken what it was sent, so far. */
    boolean isComplete() {
        return complete;
    }

    /** Gives ports LIDs, writes the routes, and sets the attributes of ports. */
    void configure() {
        complete &= found.isComplete();
        if (found.own() == null) {
            complete = false;
            return;
        }
        List<ManagedPort> ends = new ArrayList<>();
        for (ManagedNode node : found.nodes()) {
            node.ports.values().stream().filter(each -> each.isEnd() && each.info != null).forEach(ends::add);
        }
        int topLid = lids.assign(ends);
        for (ManagedPort each : ends) {
            if (each.lid == 0) {
                counters.count(SmCounter.NO_LID);
            }
        }
        writeRoutes(topLid, ends);
        if (partitions.fromAFile()) {
            ends.forEach(this::writePkeys);
        }
        for (ManagedNode node : found.nodes()) {
            for (ManagedPort each : node.ports.values()) {
                if (each.info != null && (each.isEnd() || each.hasLink())) {
                    writePort(each);
                }
            }
        }
    }

    private List<Integer> pkeysOf(ManagedPort port) {
        int type = NodeInfo.TYPE.get(port.node.info, 0);
        PartitionPort.Kind kind = type == NodeInfo.TYPE_CA ? PartitionPort.Kind.CHANNEL_ADAPTER
            : type == NodeInfo.TYPE_SWITCH ? PartitionPort.Kind.SWITCH : PartitionPort.Kind.ROUTER;
        return partitions.pkeysOf(new PartitionPort(port.guid, kind, port == found.own()));
    }

    private void writePkeys(ManagedPort port) {
        List<Integer> pkeys = pkeysOf(port);
        int cap = NodeInfo.PARTITION_CAP.get(port.node.info, 0);
        if (pkeys.size() > cap) {
            counters.add(SmCounter.NO_PKEY, pkeys.size() - cap);
        }
        int blocks = (Math.min(cap, Math.max(1, pkeys.size())) + PKeyBlock.ENTRIES - 1) / PKeyBlock.ENTRIES;
        for (int block = 0; block < blocks; block++) {
            ByteBuffer data = ByteBuffer.allocate(Smp.DATA_LENGTH);
            int first = block * PKeyBlock.ENTRIES;
            for (int i = 0; i < PKeyBlock.ENTRIES && first + i < Math.min(cap, pkeys.size()); i++) {
                PKeyBlock.set(data, 0, i, pkeys.get(first + i));
            }
            write(SmAttribute.PKEY_TABLE, block, port.path, data);
        }
    }

    private void writeRoutes(int topLid, List<ManagedPort> ends) {
        SwitchGraph graph = new SwitchGraph();
        for (ManagedNode node : found.nodes()) {
            if (node.isSwitch && node.switchInfo != null) {
                numbers.put(node, graph.addSwitch());
            }
        }
        for (ManagedNode node : found.nodes()) {
            if (numbers.containsKey(node)) {
                for (ManagedPort each : node.ports.values()) {
                    if (each.hasLink() && each.peer != null && each.peer.hasLink() && numbers.containsKey(each.peer.node)) {
                        graph.addLink(numbers.get(node), each.number, numbers.get(each.peer.node));
                    }
                }
            }
        }
        for (ManagedPort each : ends) {
            ManagedPort entry = each.number == 0 ? each : each.peer;
            if (each.lid != 0 && entry != null && numbers.containsKey(entry.node)) {
                graph.addDestination(each.lid, numbers.get(entry.node), entry.number);
            }
        }
        tables = Routing.route(graph, topLid);
        numbers.forEach((node, number) -> writeTable(node, number, topLid));
    }

    private void writeTable(ManagedNode node, int number, int topLid) {
        int cap = SwitchInfo.LINEAR_CAP.get(node.switchInfo, 0);
        int top = Math.min(topLid, cap - 1);
        if (top < topLid) {
            counters.count(SmCounter.NO_LID);
        }
        for (int block = 0; block * LinearForwardingBlock.ENTRIES <= top; block++) {
            ByteBuffer data = ByteBuffer.allocate(Smp.DATA_LENGTH);
            for (int i = 0; i < LinearForwardingBlock.ENTRIES; i++) {
                LinearForwardingBlock.set(data, 0, i, tables.get(number, block * LinearForwardingBlock.ENTRIES + i));
            }
            write(SmAttribute.LINEAR_FORWARDING, block, node.path, data);
        }
        SwitchInfo.LINEAR_TOP.set(node.switchInfo, 0, Math.max(0, top));
        SwitchInfo.LIFE_TIME.set(node.switchInfo, 0, PACKET_LIFE_TIME);
        SwitchInfo.PORT_STATE_CHANGE.set(node.switchInfo, 0, 0);
        write(SmAttribute.SWITCH_INFO, 0, node.path, node.switchInfo);
    }

    private void writePort(ManagedPort port) {
        ByteBuffer info = port.info;
        int mtu = PortInfo.MTU_CAP.get(info, 0);
        int lanes = PortInfo.VL_CAP.get(info, 0);
        if (port.number != 0 && port.peer != null && port.peer.info != null) {
            mtu = Math.min(mtu, PortInfo.MTU_CAP.get(port.peer.info, 0));
            lanes = Math.min(lanes, PortInfo.VL_CAP.get(port.peer.info, 0));
        }
        PortInfo.NEIGHBOR_MTU.set(info, 0, mtu);
        PortInfo.OPERATIONAL_VLS.set(info, 0, lanes);
        PortInfo.LOCAL_PHY_ERRORS.set(info, 0, ERROR_THRESHOLD);
        PortInfo.OVERRUN_ERRORS.set(info, 0, ERROR_THRESHOLD);
        if (port.number != 0 && port.node.isSwitch) {
            PortInfo.HOQ_LIFE.set(info, 0, port.peer != null && port.peer.node.isSwitch ? QUEUE_LIFE_TIME : LEAF_QUEUE_LIFE_TIME);
            PortInfo.VL_STALL_COUNT.set(info, 0, STALL_COUNT);
        }
        if (port.isEnd()) {
            PortInfo.GID_PREFIX.set(info, 0, Subnet.PREFIX);
            PortInfo.LID.set(info, 0, port.lid);
            PortInfo.LMC.set(info, 0, 0);
            PortInfo.SM_LID.set(info, 0, found.own().lid);
            PortInfo.SM_SL.set(info, 0, 0);
            PortInfo.SUBNET_TIMEOUT.set(info, 0, SUBNET_TIMEOUT);
        }
        ByteBuffer data = noChange(info);
        if (port.number != 0) {
            PortInfo.LINK_SPEED_ENABLED.set(data, 0, ALL_SPEEDS);
            PortInfo.LINK_SPEED_EXT_ENABLED.set(data, 0, ALL_EXTENDED_SPEEDS);
        }
        write(SmAttribute.PORT_INFO, port.number, port.path, data);
    }

    /** Takes all links that are in one state to the next one. */
    void setStates(int from, int to) {
        for (ManagedNode node : found.nodes()) {
            for (ManagedPort each : node.ports.values()) {
                if (each.hasLink() && each.state() == from && each.peer != null) {
                    ByteBuffer data = noChange(each.info);
                    PortInfo.STATE.set(data, 0, to);
                    requests.add(SmAttribute.PORT_INFO, each.number, each.path, data, mad -> {
                        complete &= mad != null;
                        if (mad != null) {
                            PortInfo.STATE.set(each.info, 0, to);
                        }
                    });
                }
            }
        }
    }

    /**
     * Writes the multicast forwarding tables.
     *
     * @param blocks blocks of each table that can have entries, from the first one on
     */
    void writeGroups(Collection<MulticastGroup> groups, int blocks) {
        trees = new HashMap<>();
        for (MulticastGroup each : groups) {
            trees.put(each.mlid(), MulticastTree.of(found, each.members()));
        }
        for (ManagedNode node : numbers.keySet()) {
            int cap = SwitchInfo.MULTICAST_CAP.get(node.switchInfo, 0);
            for (int block = 0; block < blocks && (block + 1) * MulticastForwardingBlock.ENTRIES <= cap; block++) {
                for (int position = 0; position * MulticastForwardingBlock.PORTS <= node.portCount; position++) {
                    writeGroupBlock(node, block, position);
                }
            }
        }
    }

    private void writeGroupBlock(ManagedNode node, int block, int position) {
        ByteBuffer data = ByteBuffer.allocate(Smp.DATA_LENGTH);
        for (int i = 0; i < MulticastForwardingBlock.ENTRIES; i++) {
            BitSet ports = groupPorts(node, Lrh.FIRST_MULTICAST_LID + block * MulticastForwardingBlock.ENTRIES + i);
            MulticastForwardingBlock.set(data, 0, i, MulticastForwardingBlock.bits(ports, position));
        }
        write(SmAttribute.MULTICAST_FORWARDING, MulticastForwardingBlock.modifier(block, position), node.path, data);
    }

    private BitSet groupPorts(ManagedNode node, int mlid) {
        return trees.getOrDefault(mlid, Map.of()).getOrDefault(node, NO_PORTS);
    }

    /** The subnet for its administration, as far as it was found and written. */
    Subnet subnet() {
        Map<ManagedPort, SubnetPort> ports = new HashMap<>();
        List<SubnetNode> nodes = new ArrayList<>();
        for (ManagedNode node : found.nodes()) {
            Integer number = numbers.get(node);
            if (node.isSwitch && number == null) {
                continue;
            }
            SubnetNode copy = number == null ? new SubnetNode(node.info, node.description, null, null, null)
                : new SubnetNode(node.info, node.description, node.switchInfo, lid -> tables.get(number, lid),
                    mlid -> groupPorts(node, mlid));
            for (ManagedPort each : node.ports.values()) {
                if (each.info != null) {
                    int lid = node.isSwitch ? node.ports.get(0).lid : each.lid;
                    ports.put(each, copy.addPort(each.number, each.guid, lid, each.info,
                        each.isEnd() ? pkeysOf(each) : List.of()));
                }
            }
            nodes.add(copy);
        }
        ports.forEach((port, copy) -> {
            if (port.hasLink() && port.peer != null && ports.containsKey(port.peer)) {
                copy.connect(ports.get(port.peer));
            }
        });
        return new Subnet(nodes, ports.get(found.own()));
    }

    /** PortInfo to write that leaves states, width and speed as they are. */
    private static ByteBuffer noChange(ByteBuffer info) {
        ByteBuffer data = ByteBuffer.allocate(PortInfo.LENGTH);
        data.put(0, info, 0, PortInfo.LENGTH);
        PortInfo.STATE.set(data, 0, PortInfo.STATE_NO_CHANGE);
        PortInfo.PHYSICAL_STATE.set(data, 0, 0);
        PortInfo.LINK_DOWN_DEFAULT_STATE.set(data, 0, 0);
        PortInfo.LINK_WIDTH_ENABLED.set(data, 0, PortInfo.LINK_NO_CHANGE);
        PortInfo.LINK_SPEED_ENABLED.set(data, 0, PortInfo.LINK_NO_CHANGE);
        PortInfo.LINK_SPEED_EXT_ENABLED.set(data, 0, PortInfo.LINK_NO_CHANGE);
        PortInfo.CLIENT_REREGISTER.set(data, 0, 0);
        return data;
    }

    private void write(int attribute, int modifier, byte[] path, ByteBuffer data) {
        requests.add(attribute, modifier, path, data, mad -> complete &= mad != null);
    }
}
