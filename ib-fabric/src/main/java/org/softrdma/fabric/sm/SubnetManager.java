// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfo;
import org.softrdma.wire.mad.Mad;

/**
 * Subnet manager: finds the subnet, gives its ports LIDs, writes routes, activates links, and does so again when something changed. It is
 * the only one of its subnet. Pure: datagrams and the time come in, datagrams and a deadline go out.
 *
 * <p>A heavy sweep does everything. A light sweep only reads whether a switch noted a change; then, after a trap of a change, or after a
 * sweep in which something did not answer, a heavy one follows.
 */
public final class SubnetManager {
    /** Interval of light sweeps. */
    public static final long SWEEP_INTERVAL_NS = 10_000_000_000L;
    /** Interval after which a sweep that was not complete is repeated. */
    public static final long RETRY_INTERVAL_NS = 1_000_000_000L;
    /** Answers to others that can wait to be sent. */
    static final int MAX_ANSWERS = 64;
    private static final long DEFAULT_PREFIX = 0xFE80_0000_0000_0000L;
    /** About a second. */
    private static final int SUBNET_TIMEOUT = 18;

    private enum Step { IDLE, LIGHT_SWEEP, DISCOVER, CONFIGURE, ARM, ACTIVATE }

    private final Counters<SmCounter> counters = new Counters<>(SmCounter.class);
    private final RequestQueue requests;
    private final ArrayDeque<ManagementPacket> answers = new ArrayDeque<>();
    private final LidTable lids = new LidTable();
    private Step step = Step.IDLE;
    private Discovery found;
    private boolean up;
    private boolean complete;
    private boolean changed = true;
    private long nextSweepNs;

    /**
     * Creates a manager, whose first sweep is due at once.
     *
     * @param firstTransaction transaction ID of its first request; those after it follow
     */
    public SubnetManager(long firstTransaction, long nowNs) {
        requests = new RequestQueue(counters, firstTransaction);
        nextSweepNs = nowNs;
    }

    /** Whether the last heavy sweep was complete, so that all ports that were found have addresses, routes and active links. */
    public boolean isUp() {
        return up;
    }

    public Counters<SmCounter> counters() {
        return counters;
    }

    // ---- input ----

    /** Whether a datagram that arrived at the manager's port is for it. */
    public boolean accepts(ManagementPacket packet) {
        return packet.isSubnetManagement()
            && (packet.method() == MadMethod.TRAP || packet.method() == MadMethod.GET_RESPONSE && requests.awaits(packet.transactionId()));
    }

    /** Handles a datagram; what it has no use for is dropped and counted. */
    public void onPacket(ManagementPacket packet, long nowNs) {
        if (packet.mad().capacity() < Mad.LENGTH || Mad.baseVersion(packet.mad(), 0) != Mad.BASE_VERSION
            || Mad.classVersion(packet.mad(), 0) != Smp.CLASS_VERSION) {
            counters.count(SmCounter.DROP_MALFORMED);
        } else if (packet.isDirected() && packet.method() == MadMethod.GET_RESPONSE) {
            requests.onResponse(packet.mad());
            advance(nowNs);
        } else if (packet.managementClass() == Smp.CLASS_LID_ROUTED && packet.method() == MadMethod.TRAP
            && packet.attribute() == SmAttribute.NOTICE) {
            onTrap(packet);
        } else {
            counters.count(SmCounter.DROP_UNSUPPORTED);
        }
    }

    /** Ends the repetition of a trap. Source: IBA vol 1 §13.4.9. */
    private void onTrap(ManagementPacket packet) {
        if (packet.slid() == 0 || packet.slid() > Lrh.LAST_UNICAST_LID) {
            counters.count(SmCounter.DROP_BAD_LID);
            return;
        }
        counters.count(SmCounter.TRAPS);
        int number = Notice.TRAP.get(packet.mad(), Smp.DATA_OFFSET);
        boolean generic = Notice.GENERIC.isSet(packet.mad(), Smp.DATA_OFFSET);
        changed |= generic && (number == Notice.TRAP_LINK_STATE || number == Notice.TRAP_CAPABILITY_MASK);
        if (answers.size() == MAX_ANSWERS) {
            counters.count(SmCounter.DROP_QUEUE_FULL);
            return;
        }
        ManagementPacket answer = packet.reply(ManagementPacket.copyOf(packet.mad()));
        answer.mad().put(Mad.METHOD_OFFSET, (byte) MadMethod.TRAP_REPRESS);
        answers.add(answer);
    }

    /** Does what is due. */
    public void onTime(long nowNs) {
        requests.onTime(nowNs);
        advance(nowNs);
        if (step == Step.IDLE && (changed || Deadline.isDue(nextSweepNs, nowNs))) {
            if (changed || !up) {
                beginHeavySweep();
            } else {
                beginLightSweep();
            }
        }
    }

    // ---- output ----

    /** Next datagram to send by the manager's port, or null. */
    public ManagementPacket transmit(long nowNs) {
        ManagementPacket answer = answers.poll();
        return answer != null ? answer : requests.transmit(nowNs);
    }

    /** When {@link #onTime} must be called next. */
    public long deadlineNs() {
        return step == Step.IDLE ? nextSweepNs : requests.deadlineNs();
    }

    /** Whether {@link #onTime} has something to do before its deadline: a trap said that the subnet changed. */
    public boolean wantsSweep() {
        return step == Step.IDLE && changed;
    }

    // ---- sweeps ----

    private void beginLightSweep() {
        counters.count(SmCounter.LIGHT_SWEEPS);
        step = Step.LIGHT_SWEEP;
        ManagedPort own = found.own();
        requests.add(SmAttribute.PORT_INFO, own.number, own.path, null,
            mad -> changed |= mad == null || own.number != 0 && PortInfo.STATE.get(mad, Smp.DATA_OFFSET) != own.state());
        for (ManagedNode each : found.nodes()) {
            if (each.isSwitch) {
                requests.add(SmAttribute.SWITCH_INFO, 0, each.path, null,
                    mad -> changed |= mad == null || SwitchInfo.PORT_STATE_CHANGE.isSet(mad, Smp.DATA_OFFSET));
            }
        }
    }

    private void beginHeavySweep() {
        counters.count(SmCounter.HEAVY_SWEEPS);
        step = Step.DISCOVER;
        changed = false;
        complete = true;
        found = new Discovery(requests, counters);
        found.begin();
    }

    /** Goes on when all requests of a step are answered or given up. */
    private void advance(long nowNs) {
        while (step != Step.IDLE && requests.isEmpty()) {
            switch (step) {
                case DISCOVER -> configure();
                case CONFIGURE -> setStates(Step.ARM, PortInfo.STATE_INIT, PortInfo.STATE_ARMED);
                case ARM -> setStates(Step.ACTIVATE, PortInfo.STATE_ARMED, PortInfo.STATE_ACTIVE);
                case ACTIVATE -> end(nowNs);
                default -> {
                    step = Step.IDLE;
                    nextSweepNs = nowNs + SWEEP_INTERVAL_NS;
                }
            }
        }
    }

    private void end(long nowNs) {
        step = Step.IDLE;
        up = complete && found.own() != null;
        nextSweepNs = nowNs + (up ? SWEEP_INTERVAL_NS : RETRY_INTERVAL_NS);
    }

    private void configure() {
        step = Step.CONFIGURE;
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
        for (ManagedNode node : found.nodes()) {
            for (ManagedPort each : node.ports.values()) {
                if (each.info != null && (each.isEnd() || each.hasLink())) {
                    writePort(each);
                }
            }
        }
    }

    private void writeRoutes(int topLid, List<ManagedPort> ends) {
        SwitchGraph graph = new SwitchGraph();
        Map<ManagedNode, Integer> numbers = new HashMap<>();
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
        ForwardingTables tables = Routing.route(graph, topLid);
        numbers.forEach((node, number) -> writeTable(node, number, tables, topLid));
    }

    private void writeTable(ManagedNode node, int number, ForwardingTables tables, int topLid) {
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
        if (port.isEnd()) {
            PortInfo.GID_PREFIX.set(info, 0, DEFAULT_PREFIX);
            PortInfo.LID.set(info, 0, port.lid);
            PortInfo.LMC.set(info, 0, 0);
            PortInfo.SM_LID.set(info, 0, found.own().lid);
            PortInfo.SM_SL.set(info, 0, 0);
            PortInfo.SUBNET_TIMEOUT.set(info, 0, SUBNET_TIMEOUT);
        }
        write(SmAttribute.PORT_INFO, port.number, port.path, noChange(info));
    }

    /** Takes all links that are in one state to the next one. */
    private void setStates(Step next, int from, int to) {
        step = next;
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
