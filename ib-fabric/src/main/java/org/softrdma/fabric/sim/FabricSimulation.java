// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Cable;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricNode;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.FabricSwitch;
import org.softrdma.fabric.model.MadClient;
import org.softrdma.fabric.model.PortDevice;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.sm.SmCounter;
import org.softrdma.fabric.sm.SmSettings;
import org.softrdma.fabric.sm.SubnetManager;
import org.softrdma.fabric.topology.Topology;
import org.softrdma.link.subnet.SubnetObserver;
import org.softrdma.link.subnet.SubnetSimulation;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.McMemberRecord;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SaAttribute;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;

/**
 * A fabric with subnet managers on virtual time. One datagram after the other crosses it. Managers sweep when they are started and when
 * something changed, and not at intervals, so that a subnet at rest comes to an end; a sweep in which something did not answer is repeated.
 */
final class FabricSimulation implements SubnetSimulation {
    /** Time passes at each step, however soon the next deadline is. */
    private static final long LEAST_STEP_NS = 1000;
    private static final long TRANSACTIONS = 1_000_000;
    /** Queue pair that data is sent from and to. */
    private static final int DATA_QPN = 0x11;
    /** Queue pair that datagrams to groups are sent to. IBA vol 1 §10.5.2.1 */
    private static final int GROUP_QPN = 0xFFFFFF;
    private static final int DATA_QKEY = 0x1111;
    private static final int DATA_BYTES = 64;
    /** High half of the broadcast group's MGID in the default partition. RFC 4391 §4 */
    private static final long BROADCAST_HIGH = 0xFF12_401B_FFFF_0000L;
    private static final long BROADCAST_LOW = 0xFFFF_FFFFL;

    private final Fabric fabric;
    private final HopRecorder recorder;
    private final List<FabricNode> nodes;
    private final List<Cable> cables;
    private final List<Manager> managers = new ArrayList<>();
    private final List<Transfer> transfers = new ArrayList<>();
    private long nowNs;
    private int transactions;

    /** A manager at its port. */
    private final class Manager implements MadClient {
        final FabricPort port;
        final SubnetManager machine;
        private int shownState = SmInfo.STATE_DISCOVERING;
        private long shownUps;

        Manager(FabricPort port, int priority) {
            this.port = port;
            machine = new SubnetManager(new SmSettings(port.guid(), priority, Deadline.NEVER, SmSettings.TIMEOUT_NS, true,
                Partitions.DEFAULT, TRANSACTIONS * ++transactions), nowNs);
        }

        @Override
        public boolean accepts(ManagementPacket packet) {
            return machine.accepts(packet);
        }

        @Override
        public void deliver(ManagementPacket packet) {
            machine.onPacket(packet, nowNs);
        }

        void report() {
            if (machine.state() != shownState) {
                shownState = machine.state();
                recorder.onManager(number(port.node()), stateName(shownState));
            }
            long ups = machine.counters().get(SmCounter.SUBNET_UP);
            if (ups != shownUps) {
                shownUps = ups;
                recorder.onManager(number(port.node()), "SUBNET UP");
            }
        }
    }

    /** Packets of data to be sent. */
    private static final class Transfer {
        final FabricPort from;
        final FabricPort to;
        final int count;
        final long intervalNs;
        long dueNs;
        int sent;

        Transfer(FabricPort from, FabricPort to, int count, long intervalNs, long dueNs) {
            this.from = from;
            this.to = to;
            this.count = count;
            this.intervalNs = intervalNs;
            this.dueNs = dueNs;
        }
    }

    /** The process behind an adapter's port, which receives data. */
    private final class Receiver implements PortDevice {
        private final int node;

        Receiver(int node) {
            this.node = node;
        }

        @Override
        public boolean onPacket(ByteBuffer packet, int at, int length) {
            boolean global = Lrh.nextHeader(packet, at) == Lrh.NEXT_GRH;
            recorder.onData(node, Bth.psn(packet, at + Lrh.LENGTH + (global ? Grh.LENGTH : 0)));
            return true;
        }

        @Override
        public void onChange(FabricPort port, Change change) {
            // The port's registers are read when they are shown.
        }
    }

    /** Receives the answers of subnet administration to an adapter's join. */
    private record Joiner(long transaction) implements MadClient {
        @Override
        public boolean accepts(ManagementPacket packet) {
            return packet.managementClass() == SaMad.CLASS && packet.method() == MadMethod.GET_RESPONSE
                && packet.transactionId() == transaction;
        }

        @Override
        public void deliver(ManagementPacket packet) {
            // The tables of the switches show whether it was accepted.
        }
    }

    FabricSimulation(Topology topology, long seed, SubnetObserver observer) {
        recorder = new HopRecorder(this, observer);
        fabric = new Fabric(topology, new SplittableRandom(seed), recorder);
        nodes = fabric.nodes();
        cables = fabric.cables();
        for (int i = 0; i < nodes.size(); i++) {
            if (!nodes.get(i).isSwitch()) {
                fabric.attach(nodes.get(i).port(1), new Receiver(i));
            }
        }
        cables.forEach(each -> fabric.pull(each, 0));
        recorder.open();
    }

    int number(FabricNode node) {
        return nodes.indexOf(node);
    }

    private static String stateName(int state) {
        return switch (state) {
            case SmInfo.STATE_MASTER -> "MASTER";
            case SmInfo.STATE_STANDBY -> "STANDBY";
            case SmInfo.STATE_NOT_ACTIVE -> "NOT ACTIVE";
            default -> "DISCOVERING";
        };
    }

    // ---- what there is ----

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public List<NodeView> nodes() {
        List<NodeView> shown = new ArrayList<>();
        for (FabricNode each : nodes) {
            String manager = managers.stream().filter(running -> running.port.node() == each)
                .map(running -> stateName(running.machine.state())).findFirst().orElse("");
            shown.add(new NodeView(each.id(), each.description(), each.isSwitch(), own(each).lid(), each.ports(), manager));
        }
        return shown;
    }

    private static FabricPort own(FabricNode node) {
        return node.port(node.isSwitch() ? 0 : 1);
    }

    @Override
    public List<CableView> cables() {
        List<CableView> shown = new ArrayList<>();
        for (Cable each : cables) {
            shown.add(new CableView(number(each.first().node()), each.first().number(), number(each.second().node()),
                each.second().number(), each.isPlugged(), PortInfo.stateName(each.first().state()),
                PortInfo.stateName(each.second().state())));
        }
        return shown;
    }

    @Override
    public int outputPort(int node, int lid) {
        return node(node) instanceof FabricSwitch found ? found.outputPort(lid) : NO_PORT;
    }

    @Override
    public boolean isGroupPort(int node, int groupLid, int port) {
        return node(node) instanceof FabricSwitch found && found.isGroupPort(groupLid, port);
    }

    private FabricNode node(int number) {
        if (number < 0 || number >= nodes.size()) {
            throw new IllegalArgumentException("there is no node " + number);
        }
        return nodes.get(number);
    }

    private FabricPort adapter(int number) {
        FabricNode node = node(number);
        if (node.isSwitch()) {
            throw new IllegalArgumentException(node.description() + " is a switch; choose a host");
        }
        return node.port(1);
    }

    private Cable cable(int number) {
        if (number < 0 || number >= cables.size()) {
            throw new IllegalArgumentException("there is no cable " + number);
        }
        return cables.get(number);
    }

    // ---- what can be done ----

    @Override
    public void plug(int cable) {
        Cable found = cable(cable);
        recorder.begin(nowNs);
        fabric.plug(found, nowNs);
        finish();
    }

    @Override
    public void pull(int cable) {
        Cable found = cable(cable);
        recorder.begin(nowNs);
        fabric.pull(found, nowNs);
        finish();
    }

    @Override
    public void loss(double share) {
        cables.forEach(each -> fabric.setLoss(each, share));
    }

    @Override
    public void manage(int node, int priority) {
        FabricPort port = adapter(node);
        if (manager(port) != null) {
            throw new IllegalArgumentException("a subnet manager runs at " + port.node().description() + " already");
        }
        Manager manager = new Manager(port, priority);
        recorder.begin(nowNs);
        fabric.attach(port, manager);
        managers.add(manager);
        fabric.setManager(port, true, nowNs);
        finish();
    }

    private Manager manager(FabricPort port) {
        return managers.stream().filter(each -> each.port == port).findFirst().orElse(null);
    }

    @Override
    public void endManager(int node) {
        Manager found = manager(adapter(node));
        if (found == null) {
            throw new IllegalArgumentException("no subnet manager runs at " + node(node).description());
        }
        recorder.begin(nowNs);
        fabric.detach(found.port, found);
        managers.remove(found);
        fabric.setManager(found.port, false, nowNs);
        finish();
    }

    @Override
    public void join(int node) {
        FabricPort port = adapter(node);
        requireLid(port);
        if (port.smLid() == 0) {
            throw new IllegalArgumentException(port.node().description() + " knows no subnet manager yet");
        }
        long transaction = TRANSACTIONS * ++transactions;
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        int at = SaMad.DATA_OFFSET;
        SaMad.begin(mad, 0, MadMethod.SET, SaAttribute.MC_MEMBER_RECORD, transaction, McMemberRecord.COMPONENTS.bits(
            McMemberRecord.MGID_HIGH, McMemberRecord.PORT_GID_HIGH, McMemberRecord.JOIN_STATE));
        McMemberRecord.MGID_HIGH.set(mad, at, BROADCAST_HIGH);
        McMemberRecord.MGID_LOW.set(mad, at, BROADCAST_LOW);
        McMemberRecord.PORT_GID_HIGH.set(mad, at, gidPrefix(port));
        McMemberRecord.PORT_GID_LOW.set(mad, at, port.guid());
        McMemberRecord.JOIN_STATE.set(mad, at, McMemberRecord.FULL_MEMBER);
        fabric.attach(port, new Joiner(transaction));
        send(port, ManagementPacket.general(port.lid(), port.smLid(), mad));
    }

    private static void requireLid(FabricPort port) {
        if (port.lid() == 0) {
            throw new IllegalArgumentException(port.node().description() + " has no LID yet; start a subnet manager and let it work");
        }
    }

    @Override
    public void send(int from, int to, int count, long intervalNs) {
        FabricPort source = adapter(from);
        FabricPort target = to == TO_GROUP ? null : adapter(to);
        requireLid(source);
        if (target != null) {
            requireLid(target);
        }
        transfers.add(new Transfer(source, target, count, intervalNs, nowNs));
    }

    // ---- time ----

    @Override
    public boolean step() {
        int before = recorder.events();
        while (true) {
            recorder.begin(nowNs);
            fabric.onTime(nowNs);
            finish();
            boolean sent = sendData() || sendManagement();
            if (recorder.events() != before) {
                return true;
            }
            if (sent) {
                // A manager's request to its own node crosses no cable: there is nothing to be seen of it.
                continue;
            }
            long nextNs = fabric.deadlineNs();
            for (Manager each : managers) {
                nextNs = Deadline.earlier(nextNs, each.machine.wantsSweep() ? nowNs : each.machine.deadlineNs());
            }
            for (Transfer each : transfers) {
                nextNs = Deadline.earlier(nextNs, each.dueNs);
            }
            if (nextNs == Deadline.NEVER) {
                return false;
            }
            nowNs = Math.max(nowNs + LEAST_STEP_NS, nextNs);
        }
    }

    private boolean sendData() {
        for (Transfer each : transfers) {
            if (Deadline.isDue(each.dueNs, nowNs)) {
                ByteBuffer packet = data(each);
                recorder.begin(nowNs);
                recorder.sends(each.from, SubnetObserver.Kind.DATA, packet, packet.capacity());
                fabric.carry(each.from, packet, 0, packet.capacity(), nowNs);
                finish();
                each.sent++;
                each.dueNs += each.intervalNs;
                transfers.removeIf(transfer -> transfer.sent == transfer.count);
                return true;
            }
        }
        return false;
    }

    /** A packet of a transfer; those to groups have a global route header. IBA vol 1 §5.2.1 */
    private static ByteBuffer data(Transfer of) {
        boolean global = of.to == null;
        int bthAt = Lrh.LENGTH + (global ? Grh.LENGTH : 0);
        int length = bthAt + Bth.LENGTH + Deth.LENGTH + DATA_BYTES + Icrc.LENGTH;
        ByteBuffer packet = ByteBuffer.allocate(length);
        Lrh.put(packet, 0, 0, 0, global ? Lrh.NEXT_GRH : Lrh.NEXT_BTH, global ? GROUP_LID : of.to.lid(), length, of.from.lid());
        if (global) {
            Grh.put(packet, Lrh.LENGTH, 0, 0, length - bthAt, Grh.NEXT_HEADER_BTH, 1, gidPrefix(of.from), of.from.guid(), BROADCAST_HIGH,
                BROADCAST_LOW);
        }
        Bth.put(packet, bthAt, Opcode.UD_SEND_ONLY, false, 0, ManagementPacket.DEFAULT_PKEY, global ? GROUP_QPN : DATA_QPN, false, of.sent);
        Deth.put(packet, bthAt + Bth.LENGTH, DATA_QKEY, DATA_QPN);
        Icrc.put(packet, length - Icrc.LENGTH, new Icrc().ofLrhFrame(packet, 0, bthAt, length - Icrc.LENGTH));
        return packet;
    }

    private static long gidPrefix(FabricPort port) {
        return PortInfo.GID_PREFIX.getLong(port.copyInfo(), 0);
    }

    private boolean sendManagement() {
        for (Manager each : List.copyOf(managers)) {
            each.machine.onTime(nowNs);
            ManagementPacket packet = each.machine.transmit(nowNs);
            if (packet != null) {
                send(each.port, packet);
                return true;
            }
        }
        recorder.begin(nowNs);
        finish();
        return false;
    }

    private void send(FabricPort from, ManagementPacket packet) {
        recorder.begin(nowNs);
        recorder.sends(from, SubnetObserver.Kind.MANAGEMENT, packet.mad(), Mad.LENGTH);
        fabric.send(from, packet, nowNs);
        finish();
    }

    /** Takes over the time that datagrams took, and reports what the managers made of them. */
    private void finish() {
        nowNs = recorder.end();
        managers.forEach(Manager::report);
    }
}
