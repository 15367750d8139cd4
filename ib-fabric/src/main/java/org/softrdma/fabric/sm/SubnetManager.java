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
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfo;
import org.softrdma.wire.mad.Mad;

/**
 * Subnet manager: finds the subnet, gives its ports LIDs, writes routes, activates links, and does so again when something changed. Of
 * several managers the first one by priority does this as the master, and the others stand by. Pure: datagrams and the time come in,
 * datagrams and a deadline go out. Source: IBA vol 1 §14.4.
 *
 * <p>A heavy sweep does everything. A light sweep only reads whether a switch noted a change; then, after a trap of a change, or after a
 * sweep in which something did not answer, a heavy one follows.
 */
public final class SubnetManager {
    /** Interval after which a sweep that was not complete is repeated. */
    public static final long RETRY_INTERVAL_NS = 1_000_000_000L;
    /** Answers to others that can wait to be sent. */
    static final int MAX_ANSWERS = 64;
    private static final long DEFAULT_PREFIX = 0xFE80_0000_0000_0000L;
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

    private enum Step { IDLE, STANDBY, LIGHT_SWEEP, DISCOVER, COMPARE, HAND_OVER, CONFIGURE, ARM, ACTIVATE }

    private final Counters<SmCounter> counters = new Counters<>(SmCounter.class);
    private final SmSettings settings;
    private final RequestQueue requests;
    private final SmInfoAgent info;
    private final Standby standby;
    private final ArrayDeque<ManagementPacket> answers = new ArrayDeque<>();
    private final LidTable lids = new LidTable();
    private Step step = Step.IDLE;
    private Discovery found;
    private OtherManagers others;
    /** Route to the manager that was sent the subnet and has not acknowledged; null for none. */
    private byte[] handedTo;
    private boolean handedOver;
    private boolean swept;
    private boolean up;
    private boolean complete;
    private boolean changed = true;
    private long nextSweepNs;

    /** Creates a manager, whose first sweep is due at once. */
    public SubnetManager(SmSettings settings, long nowNs) {
        this.settings = settings;
        requests = new RequestQueue(counters, settings.firstTransaction(), settings.timeoutNs());
        info = new SmInfoAgent(settings);
        standby = new Standby(requests);
        nextSweepNs = nowNs;
    }

    /** Whether the last heavy sweep was complete, so that all ports that were found have addresses, routes and active links. */
    public boolean isUp() {
        return up;
    }

    /** SMState: a constant of {@link SmInfo}. */
    public int state() {
        return info.state();
    }

    /** Whether a heavy sweep has ended, complete or not, or another manager is the master. */
    public boolean hasSwept() {
        return swept;
    }

    public Counters<SmCounter> counters() {
        return counters;
    }

    // ---- input ----

    /** Whether a datagram that arrived at the manager's port is for it. */
    public boolean accepts(ManagementPacket packet) {
        return packet.isSubnetManagement() && (packet.method() == MadMethod.TRAP || SmInfoAgent.serves(packet)
            || packet.method() == MadMethod.GET_RESPONSE && requests.awaits(packet.transactionId()));
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
        } else if (SmInfoAgent.serves(packet)) {
            onSmInfo(packet, nowNs);
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
        ByteBuffer repress = ManagementPacket.copyOf(packet.mad());
        repress.put(Mad.METHOD_OFFSET, (byte) MadMethod.TRAP_REPRESS);
        answer(packet, repress);
    }

    private void onSmInfo(ManagementPacket packet, long nowNs) {
        boolean allowed = packet.method() == MadMethod.GET || control(Mad.modifier(packet.mad(), 0), nowNs);
        ByteBuffer mad = info.answer(packet);
        if (!allowed) {
            counters.count(SmCounter.DROP_BAD_STATE);
            Smp.setStatus(mad, 0, MadStatus.INVALID_FIELD);
        }
        answer(packet, mad);
    }

    /**
     * Handles a control packet of another manager.
     *
     * @return whether it is allowed in this state
     */
    private boolean control(int modifier, long nowNs) {
        boolean standingBy = info.state() == SmInfo.STATE_STANDBY;
        boolean master = info.state() == SmInfo.STATE_MASTER;
        switch (modifier) {
            case SmInfo.HANDOVER -> {
                byte[] from = standingBy ? standby.path() : master && others != null ? others.master() : null;
                if (from == null) {
                    return false;
                }
                takeOver(from);
            }
            case SmInfo.ACKNOWLEDGE -> {
                if (master && handedTo != null) {
                    standBy(handedTo, nowNs);
                }
                return info.state() == SmInfo.STATE_STANDBY;
            }
            case SmInfo.DISABLE -> {
                if (!standingBy) {
                    return false;
                }
                info.setState(SmInfo.STATE_NOT_ACTIVE);
                standby.end();
            }
            case SmInfo.STANDBY -> {
                if (info.state() != SmInfo.STATE_NOT_ACTIVE) {
                    return false;
                }
                standBy(standby.path(), nowNs);
            }
            case SmInfo.DISCOVER -> {
                if (!standingBy) {
                    return false;
                }
                discoverAgain();
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void takeOver(byte[] from) {
        info.setState(SmInfo.STATE_MASTER);
        if (step == Step.STANDBY) {
            step = Step.IDLE;
        }
        changed = true;
        requests.add(SmAttribute.SM_INFO, SmInfo.ACKNOWLEDGE, from, info.data(), mad -> { });
    }

    private void standBy(byte[] toMaster, long nowNs) {
        counters.count(SmCounter.STANDBY);
        requests.clear();
        info.setState(SmInfo.STATE_STANDBY);
        step = Step.STANDBY;
        handedTo = null;
        up = false;
        swept = true;
        standby.begin(toMaster, nowNs);
    }

    private void discoverAgain() {
        standby.end();
        info.setState(SmInfo.STATE_DISCOVERING);
        step = Step.IDLE;
        changed = true;
    }

    private void answer(ManagementPacket packet, ByteBuffer mad) {
        if (answers.size() == MAX_ANSWERS) {
            counters.count(SmCounter.DROP_QUEUE_FULL);
        } else {
            answers.add(packet.reply(mad));
        }
    }

    /** Does what is due. */
    public void onTime(long nowNs) {
        requests.onTime(nowNs);
        advance(nowNs);
        if (step == Step.STANDBY) {
            standby.onTime(nowNs);
            if (standby.isMasterDead()) {
                discoverAgain();
            }
        }
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
        return switch (step) {
            case IDLE -> Deadline.earlier(nextSweepNs, requests.deadlineNs());
            case STANDBY -> Deadline.earlier(standby.deadlineNs(), requests.deadlineNs());
            default -> requests.deadlineNs();
        };
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
        while (step != Step.IDLE && step != Step.STANDBY && requests.isEmpty()) {
            switch (step) {
                case DISCOVER -> compare();
                case COMPARE -> decide(nowNs);
                case HAND_OVER -> endHandover(nowNs);
                case CONFIGURE -> setStates(Step.ARM, PortInfo.STATE_INIT, PortInfo.STATE_ARMED);
                case ARM -> setStates(Step.ACTIVATE, PortInfo.STATE_ARMED, PortInfo.STATE_ACTIVE);
                case ACTIVATE -> end(nowNs);
                default -> {
                    step = Step.IDLE;
                    nextSweepNs = Deadline.after(settings.sweepIntervalNs(), nowNs);
                }
            }
        }
    }

    private void compare() {
        step = Step.COMPARE;
        others = new OtherManagers(info);
        others.read(found, requests);
    }

    /** Becomes the master, remains it, or stands by. A master hands the subnet over to a manager that goes before it. */
    private void decide(long nowNs) {
        if (info.state() == SmInfo.STATE_MASTER) {
            handedTo = others.above();
            if (handedTo != null) {
                step = Step.HAND_OVER;
                handedOver = false;
                requests.add(SmAttribute.SM_INFO, SmInfo.HANDOVER, handedTo, info.data(), mad -> handedOver = mad != null);
                return;
            }
        } else if (others.master() != null || others.above() != null) {
            standBy(others.master() != null ? others.master() : others.above(), nowNs);
            return;
        } else if (found.own() != null) {
            info.setState(SmInfo.STATE_MASTER);
        }
        configure();
    }

    /** The response is enough, since opensm sends no acknowledgement. A master that is not relieved remains it. */
    private void endHandover(long nowNs) {
        if (handedOver) {
            standBy(handedTo, nowNs);
        } else {
            handedTo = null;
            configure();
        }
    }

    private void end(long nowNs) {
        step = Step.IDLE;
        swept = true;
        up = complete && found.own() != null;
        nextSweepNs = Deadline.after(up ? settings.sweepIntervalNs() : RETRY_INTERVAL_NS, nowNs);
        if (up) {
            counters.count(SmCounter.SUBNET_UP);
        }
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
            PortInfo.GID_PREFIX.set(info, 0, DEFAULT_PREFIX);
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
