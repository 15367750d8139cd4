// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.sa.SubnetAdministrator;
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
 * <p>A heavy sweep does everything. A light sweep only reads whether a switch noted a change, or another manager wrote to the own port;
 * then, after a trap of a change, or after a sweep in which something did not answer, a heavy one follows.
 */
public final class SubnetManager {
    /** Interval after which a sweep is repeated that was not complete, or found another master. */
    public static final long RETRY_INTERVAL_NS = 1_000_000_000L;
    /** Doublings of that interval while another manager does not agree. */
    private static final int MAX_CONTESTS = 6;
    /** Answers and traps to others that can wait to be sent. */
    static final int MAX_TO_OTHERS = 64;

    private enum Step { IDLE, STANDBY, LIGHT_SWEEP, DISCOVER, COMPARE, HAND_OVER, CONFIGURE, ARM, ACTIVATE, GROUPS }

    private final Counters<SmCounter> counters = new Counters<>(SmCounter.class);
    private final SmSettings settings;
    private final RequestQueue requests;
    private final SmInfoAgent info;
    private final Standby standby;
    private final SubnetAdministrator administrator;
    private final ArrayDeque<ManagementPacket> toOthers = new ArrayDeque<>();
    private final LidTable lids = new LidTable();
    private Step step = Step.IDLE;
    private Discovery found;
    private OtherManagers others;
    private SubnetWriter writer;
    /** Route to the manager that was sent the subnet and has not acknowledged; null for none. */
    private byte[] handedTo;
    private boolean handedOver;
    /** Blocks of multicast forwarding tables that had entries at some time. */
    private int groupBlocks;
    private boolean swept;
    private boolean up;
    /** The last sweep found another master, which will hand its part over, or a manager before this one that did not take the subnet. */
    private boolean contested;
    /** Sweeps in sequence after which that was so. */
    private int contests;
    private boolean changed = true;
    private long nextSweepNs;

    /** Creates a manager, whose first sweep is due at once. */
    public SubnetManager(SmSettings settings, long nowNs) {
        this.settings = settings;
        requests = new RequestQueue(counters, settings.firstTransaction(), settings.timeoutNs());
        info = new SmInfoAgent(settings);
        others = new OtherManagers(info);
        standby = new Standby(requests, info, this::send);
        administrator = new SubnetAdministrator(SmInfoAgent.SM_KEY, settings.segments(), settings.partitions(), info::data);
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

    /** Subnet administration at the manager's port. */
    public SubnetAdministrator administrator() {
        return administrator;
    }

    // ---- input ----

    /** Whether a datagram that arrived at the manager's port is for it. */
    public boolean accepts(ManagementPacket packet) {
        boolean answers = packet.method() == MadMethod.GET_RESPONSE && requests.awaits(packet.transactionId());
        return SubnetAdministrator.serves(packet)
            || packet.isSubnetManagement() && (packet.method() == MadMethod.TRAP || SmInfoAgent.serves(packet) || answers);
    }

    /** Handles a datagram; what it has no use for is dropped and counted. */
    public void onPacket(ManagementPacket packet, long nowNs) {
        if (SubnetAdministrator.serves(packet)) {
            administrator.onPacket(packet, nowNs);
        } else if (packet.mad().capacity() < Mad.LENGTH || Mad.baseVersion(packet.mad(), 0) != Mad.BASE_VERSION
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

    /** Ends the repetition of a trap, unless that is for the master, to which it will be sent again. Source: IBA vol 1 §13.4.9. */
    private void onTrap(ManagementPacket packet) {
        if (info.state() == SmInfo.STATE_STANDBY || info.state() == SmInfo.STATE_NOT_ACTIVE) {
            counters.count(SmCounter.DROP_NOT_MASTER);
            return;
        }
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
        administrator.onTrap(packet);
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
                if (info.state() == SmInfo.STATE_NOT_ACTIVE) {
                    return false;
                }
                takeOver(standingBy ? standby.path() : others.master());
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

    /**
     * Becomes the master, also in the middle of discovery: opensm hands a subnet over as soon as its sweep has met this manager, and stands
     * by whatever the answer.
     *
     * @param from route to the manager that hands the subnet over; null if this one has not met it yet
     */
    private void takeOver(byte[] from) {
        info.setState(SmInfo.STATE_MASTER);
        if (step == Step.STANDBY) {
            step = Step.IDLE;
        }
        changed = true;
        if (from != null) {
            // It comes from a manager that stands by, or opensm refuses it.
            requests.add(SmAttribute.SM_INFO, SmInfo.ACKNOWLEDGE, from, info.data(SmInfo.STATE_STANDBY), mad -> { });
        }
    }

    private void standBy(byte[] toMaster, long nowNs) {
        counters.count(SmCounter.STANDBY);
        requests.clear();
        info.setState(SmInfo.STATE_STANDBY);
        administrator.serve(null);
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
        send(packet.reply(mad));
    }

    private void send(ManagementPacket toOther) {
        if (toOthers.size() == MAX_TO_OTHERS) {
            counters.count(SmCounter.DROP_QUEUE_FULL);
        } else {
            toOthers.add(toOther);
        }
    }

    /** Does what is due. */
    public void onTime(long nowNs) {
        requests.onTime(nowNs);
        administrator.onTime(nowNs);
        advance(nowNs);
        if (step == Step.STANDBY) {
            standby.onTime(nowNs);
            if (standby.isMasterDead()) {
                discoverAgain();
            }
        }
        if (step == Step.IDLE && (changed || Deadline.isDue(nextSweepNs, nowNs))) {
            if (changed || !up || contested) {
                beginHeavySweep();
            } else {
                beginLightSweep();
            }
        } else if (step == Step.IDLE && administrator.haveGroupsChanged()) {
            step = Step.GROUPS;
            writeGroups();
        }
    }

    // ---- output ----

    /** Next datagram to send by the manager's port, or null. */
    public ManagementPacket transmit(long nowNs) {
        ManagementPacket answer = toOthers.poll();
        if (answer == null) {
            answer = administrator.transmit(nowNs);
        }
        return answer != null ? answer : requests.transmit(nowNs);
    }

    /** When {@link #onTime} must be called next. */
    public long deadlineNs() {
        long stepNs = switch (step) {
            case IDLE -> Deadline.earlier(nextSweepNs, requests.deadlineNs());
            case STANDBY -> Deadline.earlier(standby.deadlineNs(), requests.deadlineNs());
            default -> requests.deadlineNs();
        };
        return Deadline.earlier(stepNs, administrator.deadlineNs());
    }

    /** Whether {@link #onTime} has something to do before its deadline: the subnet or a multicast group changed. */
    public boolean wantsSweep() {
        return step == Step.IDLE && (changed || administrator.haveGroupsChanged());
    }

    // ---- sweeps ----

    private void beginLightSweep() {
        counters.count(SmCounter.LIGHT_SWEEPS);
        step = Step.LIGHT_SWEEP;
        ManagedPort own = found.own();
        requests.add(SmAttribute.PORT_INFO, own.number, own.path, null, mad -> changed |= mad == null || isOtherThanWritten(own, mad));
        for (ManagedNode each : found.nodes()) {
            if (each.isSwitch) {
                requests.add(SmAttribute.SWITCH_INFO, 0, each.path, null,
                    mad -> changed |= mad == null || SwitchInfo.PORT_STATE_CHANGE.isSet(mad, Smp.DATA_OFFSET));
            }
        }
    }

    private static boolean isOtherThanWritten(ManagedPort own, ByteBuffer mad) {
        int at = Smp.DATA_OFFSET;
        return own.number != 0 && PortInfo.STATE.get(mad, at) != own.state() || PortInfo.LID.get(mad, at) != own.lid
            || PortInfo.SM_LID.get(mad, at) != own.lid;
    }

    private void beginHeavySweep() {
        counters.count(SmCounter.HEAVY_SWEEPS);
        step = Step.DISCOVER;
        changed = false;
        found = new Discovery(requests, counters, info.state() == SmInfo.STATE_MASTER);
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
                case GROUPS -> step = Step.IDLE;
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
            if (found.leavesNotes()) {
                // They are this manager's now: what they note is read after they are cleared.
                beginHeavySweep();
                return;
            }
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
        up = writer.isComplete();
        administrator.serve(found.own() == null ? null : writer.subnet());
        contested = others.master() != null || others.above() != null;
        contests = contested ? Math.min(contests + 1, MAX_CONTESTS) : 0;
        nextSweepNs = Deadline.after(up && !contested ? settings.sweepIntervalNs() : RETRY_INTERVAL_NS << Math.max(0, contests - 1), nowNs);
        if (up) {
            counters.count(SmCounter.SUBNET_UP);
        }
    }

    private void configure() {
        step = Step.CONFIGURE;
        writer = new SubnetWriter(found, lids, settings.partitions(), requests, counters);
        writer.configure();
        writeGroups();
    }

    private void writeGroups() {
        administrator.onGroupsWritten();
        groupBlocks = Math.max(groupBlocks, administrator.groupBlocks());
        writer.writeGroups(administrator.groups(), groupBlocks);
    }

    private void setStates(Step next, int from, int to) {
        step = next;
        writer.setStates(from, to);
    }
}
