// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.softrdma.device.Counters;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.topology.Topology;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfo;
import org.softrdma.wire.mad.Mad;

/**
 * A subnet: nodes, ports and cables, with the agents that subnet management talks to. It carries packets by the tables that were written,
 * and in no other way; a packet crosses it in no time. Pure: its time is what the caller says it is.
 *
 * <p>Two kinds of software use a port. {@link MadClient}s send and receive management datagrams as records; there can be several, for
 * instance a subnet manager and a tool. One {@link PortDevice} sends and receives whole packets.
 */
public final class Fabric implements FabricEvents {
    private final Map<String, FabricNode> nodes = new LinkedHashMap<>();
    private final List<Cable> cables = new ArrayList<>();
    private final Map<FabricPort, MkeyGuard> guards = new HashMap<>();
    private final Counters<FabricCounter> counters = new Counters<>(FabricCounter.class);
    private final FabricObserver observer;
    private final LinkControl links = new LinkControl(this);
    private final SubnetAgent subnetAgent = new SubnetAgent(links, this);
    private final TrapSender traps = new TrapSender(counters, this::transmit);
    private final PacketRouter router;
    private final DirectedRoute directed;
    private final Crossing crossing = new Crossing();
    private final ManagementFrames frames = new ManagementFrames();
    private long nowNs;

    /**
     * Powers a subnet on: all links are up, and no port has an address.
     *
     * @param random for losses of cables
     */
    public Fabric(Topology topology, RandomGenerator random, FabricObserver observer) {
        this.observer = observer;
        router = new PacketRouter(counters, random, observer, links::activate);
        directed = new DirectedRoute(router);
        for (Topology.Node each : topology.nodes()) {
            nodes.put(each.id(), each.kind() == Topology.Kind.SWITCH ? new FabricSwitch(each) : new FabricNode(each));
        }
        for (Topology.Cable each : topology.cables()) {
            connect(port(each.first()), port(each.second()), each.rate());
        }
    }

    private FabricPort port(Topology.End end) {
        return nodes.get(end.node()).port(end.port());
    }

    private void connect(FabricPort first, FabricPort second, Topology.Rate rate) {
        Cable cable = new Cable(first, second);
        cables.add(cable);
        for (FabricPort end : new FabricPort[] {first, second}) {
            end.setCable(cable);
            PortInfo.LINK_WIDTH_ENABLED.set(end.info(), 0, rate.width());
            PortInfo.LINK_SPEED_ENABLED.set(end.info(), 0, rate.speed());
            PortInfo.LINK_SPEED_EXT_ENABLED.set(end.info(), 0, rate.speedExt());
        }
        links.train(first);
    }

    // ---- the subnet ----

    /** Nodes in the order of the topology. */
    public List<FabricNode> nodes() {
        return List.copyOf(nodes.values());
    }

    /** The node of an id or, if there is none, the first one with that description; null if there is neither. */
    public FabricNode find(String name) {
        FabricNode byId = nodes.get(name);
        return byId != null ? byId
            : nodes.values().stream().filter(each -> each.description().equals(name)).findFirst().orElse(null);
    }

    public List<Cable> cables() {
        return List.copyOf(cables);
    }

    public Counters<FabricCounter> counters() {
        return counters;
    }


    // ---- accidents ----

    /** Pulls a cable: both ports go down. */
    public void pull(Cable cable, long atNs) {
        nowNs = atNs;
        if (cable.isPlugged()) {
            cable.setPlugged(false);
            observer.onCable(cable);
            links.takeDown(cable.first(), cable.second());
        }
    }

    /** Plugs a cable in: both ports become initialized. */
    public void plug(Cable cable, long atNs) {
        nowNs = atNs;
        if (!cable.isPlugged()) {
            cable.setPlugged(true);
            observer.onCable(cable);
            links.train(cable.first());
        }
    }

    /** Sets the share of packets that a cable loses, 0..1. */
    public void setLoss(Cable cable, double share) {
        cable.setLoss(share);
    }

    /** Takes a node's power away for a moment: its links go down and up again, and its registers and tables are lost. */
    public void powerCycle(FabricNode node, long atNs) {
        nowNs = atNs;
        for (int i = 0; i <= node.ports(); i++) {
            FabricPort port = node.port(i);
            if (port != null && !port.isInternal()) {
                links.takeDown(port, port.peer());
            }
        }
        if (node instanceof FabricSwitch changed) {
            changed.clearTables();
        }
        for (int i = 0; i <= node.ports(); i++) {
            FabricPort port = node.port(i);
            if (port != null) {
                reset(port);
            }
        }
    }

    private void reset(FabricPort port) {
        int width = PortInfo.LINK_WIDTH_ENABLED.get(port.info(), 0);
        int speed = PortInfo.LINK_SPEED_ENABLED.get(port.info(), 0);
        int speedExt = PortInfo.LINK_SPEED_EXT_ENABLED.get(port.info(), 0);
        boolean manager = (PortInfo.CAPABILITY_MASK.get(port.info(), 0) & PortInfo.CAP_SM) != 0;
        port.powerOn();
        PortInfo.LINK_WIDTH_ENABLED.set(port.info(), 0, width);
        PortInfo.LINK_SPEED_ENABLED.set(port.info(), 0, speed);
        PortInfo.LINK_SPEED_EXT_ENABLED.set(port.info(), 0, speedExt);
        if (manager) {
            setManagerFlag(port, true);
        }
        onLid(port);
        onRegisters(port, PortDevice.Change.PKEYS);
        links.train(port);
        onRegisters(port, PortDevice.Change.PORT_INFO);
    }

    // ---- software at ports ----

    /** Adds software that sends and receives management datagrams at a port. */
    public void attach(FabricPort port, MadClient client) {
        port.clients().add(client);
    }

    public void detach(FabricPort port, MadClient client) {
        port.clients().remove(client);
    }

    /** Sets the process that sends and receives packets by a port; null for none. */
    public void attach(FabricPort port, PortDevice device) {
        port.setDevice(device);
    }

    /** Says whether a subnet manager runs at a port, which the port's capability mask shows to others. */
    public void setManager(FabricPort port, boolean running, long atNs) {
        nowNs = atNs;
        int before = PortInfo.CAPABILITY_MASK.get(port.info(), 0);
        setManagerFlag(port, running);
        if (PortInfo.CAPABILITY_MASK.get(port.info(), 0) != before) {
            traps.capabilityMask(port, nowNs);
        }
    }

    private static void setManagerFlag(FabricPort port, boolean running) {
        int before = PortInfo.CAPABILITY_MASK.get(port.info(), 0);
        PortInfo.CAPABILITY_MASK.set(port.info(), 0, running ? before | PortInfo.CAP_SM : before & ~PortInfo.CAP_SM);
    }

    // ---- packets ----

    /**
     * Carries a packet, LRH to ICRC, from the process at a port. A datagram to queue pair 1 may be one that an agent or a client at its
     * destination serves.
     */
    public void carry(FabricPort from, ByteBuffer packet, int at, int length, long atNs) {
        nowNs = atNs;
        if (!crossing.set(packet, at, length)) {
            drop(from, FabricCounter.DROP_MALFORMED);
        } else if (!from.owns(crossing.slid())) {
            drop(from, FabricCounter.DROP_SPOOFED_LID);
        } else if (!from.isActive()) {
            from.traffic().xmitDiscards++;
            drop(from, FabricCounter.DROP_PORT_DOWN);
        } else if (crossing.isMulticast()) {
            router.multicast(from, crossing, member -> deliver(member, packet, at, length));
        } else {
            FabricPort to = router.route(from, crossing);
            if (to != null) {
                arrive(from, to, packet, at, length);
            }
        }
    }

    private void arrive(FabricPort from, FabricPort to, ByteBuffer packet, int at, int length) {
        if (frames.destQpn(packet, at) > Mad.GSI_QPN) {
            deliver(to, packet, at, length);
            return;
        }
        ManagementPacket management = frames.read(packet, at, length);
        if (management == null) {
            to.traffic().qp1Dropped++;
            drop(to, FabricCounter.DROP_NO_MAD);
        } else if (isServedByOthers(to, management)) {
            receive(from, to, management);
        } else {
            deliver(to, packet, at, length);
        }
    }

    private static boolean isServedByOthers(FabricPort to, ManagementPacket packet) {
        return PerformanceAgent.serves(packet) || to.clients().stream().anyMatch(each -> each.accepts(packet));
    }

    private void deliver(FabricPort to, ByteBuffer packet, int at, int length) {
        if (to.device() == null || !to.device().onPacket(packet, at, length)) {
            to.traffic().rcvErrors++;
            drop(to, FabricCounter.DROP_NO_RECEIVER);
        }
    }

    // ---- management datagrams ----

    /**
     * Sends a management datagram of a client by a port. Subnet management packets follow their list of ports, or their LID; the SLID is
     * filled in if it is 0.
     *
     * @return whether an agent, a client or a process has received it; an agent's answer may already have been delivered
     */
    public boolean send(FabricPort from, ManagementPacket packet, long atNs) {
        nowNs = atNs;
        if (Mad.baseVersion(packet.mad(), 0) != Mad.BASE_VERSION) {
            return refuse(from, FabricCounter.DROP_BAD_MAD);
        }
        ManagementPacket sent = packet.slid() == 0 ? packet.from(from.lid()) : packet;
        if (!sent.isDirected()) {
            return route(from, sent);
        }
        boolean response = MadMethod.isResponse(sent.method());
        if (!DirectedRoute.isValid(sent.mad(), response)) {
            return refuse(from, FabricCounter.DROP_BAD_DIRECTED_ROUTE);
        }
        FabricPort to = response ? directed.back(from, sent) : directed.out(from, sent);
        return to != null && receive(from, to, sent);
    }

    private boolean route(FabricPort from, ManagementPacket packet) {
        crossing.set(packet);
        if (!packet.isSubnetManagement() && !from.isActive()) {
            return refuse(from, FabricCounter.DROP_PORT_DOWN);
        }
        FabricPort to = router.route(from, crossing);
        return to != null && receive(from, to, packet);
    }

    private void transmit(FabricPort from, ManagementPacket packet) {
        route(from, packet);
    }

    /** A datagram has reached a port. */
    private boolean receive(FabricPort from, FabricPort to, ManagementPacket packet) {
        observer.onManagement(packet, from, to);
        if (packet.isSubnetManagement()) {
            return receiveSubnetManagement(from, to, packet);
        }
        if (PerformanceAgent.serves(packet)) {
            counters.count(FabricCounter.MADS_EXECUTED);
            ManagementPacket answer = packet.reply(ManagementPacket.copyOf(packet.mad()));
            PerformanceAgent.execute(to, answer.mad());
            route(to, answer);
            return true;
        }
        if (deliverToClient(to, packet)) {
            return true;
        }
        if (to.device() != null) {
            ByteBuffer frame = frames.write(packet);
            deliver(to, frame, 0, frame.limit());
            return true;
        }
        to.traffic().qp1Dropped++;
        return refuse(to, FabricCounter.DROP_NO_RECEIVER);
    }

    private boolean receiveSubnetManagement(FabricPort from, FabricPort to, ManagementPacket packet) {
        if (packet.method() == MadMethod.TRAP_REPRESS) {
            traps.onRepress(to, packet.transactionId());
            return true;
        }
        if (!SubnetAgent.serves(packet)) {
            return deliverToClient(to, packet) || refuseManagement(from, to, packet);
        }
        if (Mad.classVersion(packet.mad(), 0) != Smp.CLASS_VERSION) {
            return refuse(to, FabricCounter.DROP_BAD_MAD);
        }
        FabricPort keeper = to.node().isSwitch() ? to.node().port(0) : to;
        MkeyGuard guard = guards.computeIfAbsent(keeper, port -> new MkeyGuard(port.info()));
        if (!guard.admits(Smp.mkey(packet.mad(), 0), packet.method(), nowNs)) {
            traps.badMkey(keeper, packet, nowNs);
            return refuse(to, FabricCounter.DROP_BAD_MKEY);
        }
        counters.count(FabricCounter.MADS_EXECUTED);
        ManagementPacket answer = packet.reply(ManagementPacket.copyOf(packet.mad()));
        subnetAgent.execute(to, answer.mad(), guard);
        answerTo(from, to, answer);
        return true;
    }

    /** Answers a request for a subnet manager that is not there; anything else is dropped. */
    private boolean refuseManagement(FabricPort from, FabricPort to, ManagementPacket packet) {
        boolean request = packet.method() == MadMethod.GET || packet.method() == MadMethod.SET;
        if (!request || packet.attribute() != SmAttribute.SM_INFO) {
            return refuse(to, FabricCounter.DROP_NO_RECEIVER);
        }
        ManagementPacket answer = packet.reply(ManagementPacket.copyOf(packet.mad()));
        answer.mad().put(Mad.METHOD_OFFSET, (byte) MadMethod.GET_RESPONSE);
        Smp.setStatus(answer.mad(), 0, MadStatus.UNSUPPORTED_ATTRIBUTE);
        if (answer.isDirected()) {
            Smp.setReturning(answer.mad(), 0);
        }
        answerTo(from, to, answer);
        return true;
    }

    private void answerTo(FabricPort from, FabricPort to, ManagementPacket answer) {
        FabricPort back;
        if (answer.isDirected()) {
            back = directed.back(to, answer);
        } else {
            crossing.set(answer);
            back = router.route(to, crossing);
        }
        if (back != null) {
            observer.onManagement(answer, to, back);
            if (!deliverToClient(back, answer)) {
                drop(back, FabricCounter.DROP_NO_RECEIVER);
            }
        }
    }

    /** Delivers to software at the port or, as a directed packet can come in by any port of a switch, at the switch's port 0. */
    private static boolean deliverToClient(FabricPort to, ManagementPacket packet) {
        return offer(to, packet) || to.node().isSwitch() && !to.isInternal() && offer(to.node().port(0), packet);
    }

    private static boolean offer(FabricPort to, ManagementPacket packet) {
        for (MadClient each : to.clients()) {
            if (each.accepts(packet)) {
                each.deliver(packet);
                return true;
            }
        }
        return false;
    }

    private boolean refuse(FabricPort where, FabricCounter reason) {
        drop(where, reason);
        return false;
    }

    private void drop(FabricPort where, FabricCounter reason) {
        counters.count(reason);
        observer.onDrop(where, reason);
    }

    // ---- time ----

    /** Repeats traps that are due. */
    public void onTime(long atNs) {
        nowNs = atNs;
        traps.onTime(atNs);
    }

    /** When {@link #onTime} must be called next, or {@link org.softrdma.device.agent.Deadline#NEVER}. */
    public long deadlineNs() {
        return traps.deadlineNs();
    }

    // ---- consequences ----

    @Override
    public void onPortState(FabricPort port, int before, boolean byItself) {
        observer.onPortState(port, before, port.state());
        port.notifyDevice(PortDevice.Change.PORT_INFO);
        if (byItself && port.node() instanceof FabricSwitch node) {
            SwitchInfo.PORT_STATE_CHANGE.set(node.switchInfo(), 0, 1);
            traps.linkState(node.port(0), nowNs);
        }
    }

    @Override
    public void onRegisters(FabricPort port, PortDevice.Change change) {
        port.notifyDevice(change);
    }

    @Override
    public void onLid(FabricPort port) {
        observer.onLid(port);
    }

    @Override
    public void onForwarding(FabricSwitch changed) {
        observer.onForwarding(changed);
    }
}
