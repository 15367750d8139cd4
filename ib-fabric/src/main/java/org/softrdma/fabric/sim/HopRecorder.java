// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Cable;
import org.softrdma.fabric.model.FabricCounter;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.FabricSwitch;
import org.softrdma.link.subnet.SubnetObserver;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.mad.Mad;

/**
 * Reports the way of datagrams hop by hop. The fabric itself carries a datagram in no time; here each hop takes {@value #HOP_NS} ns, so
 * that the order is visible, and what a datagram causes has the time of its arrival.
 */
final class HopRecorder implements FabricObserver {
    /** Time for one hop. */
    static final long HOP_NS = 500;
    private static final byte[] NOT_KEPT = {};

    private final FabricSimulation simulation;
    private final SubnetObserver observer;
    /** Hops of the datagram on its way, of which it is not known yet which one it is. */
    private final List<Hop> hops = new ArrayList<>();
    private FabricPort source;
    private SubnetObserver.Kind kind = SubnetObserver.Kind.MANAGEMENT;
    private byte[] bytes = NOT_KEPT;
    private long nowNs;
    private int events;
    /** Before, the subnet is being built, and nothing is reported. */
    private boolean open;

    private record Hop(long sentNs, FabricPort from, FabricPort to) {
    }

    HopRecorder(FabricSimulation simulation, SubnetObserver observer) {
        this.simulation = simulation;
        this.observer = observer;
    }

    void open() {
        open = true;
    }

    /** Number of reports so far. */
    int events() {
        return events;
    }

    /** Begins with something that happens now: traps of ports, unless {@link #sends} follows. */
    void begin(long atNs) {
        nowNs = atNs;
        source = null;
        bytes = NOT_KEPT;
        kind = SubnetObserver.Kind.MANAGEMENT;
        hops.clear();
    }

    /** A process sends a datagram. */
    void sends(FabricPort from, SubnetObserver.Kind what, ByteBuffer datagram, int length) {
        source = from;
        kind = what;
        bytes = new byte[length];
        datagram.get(0, bytes);
    }

    /** Ends what was begun, and returns the time after it. */
    long end() {
        flush(bytes, "");
        return nowNs;
    }

    @Override
    public void onHop(FabricPort from, FabricPort to) {
        hops.add(new Hop(nowNs, from, to));
        nowNs += HOP_NS;
    }

    @Override
    public void onManagement(ManagementPacket packet, FabricPort from, FabricPort to) {
        byte[] copy = new byte[Mad.LENGTH];
        packet.mad().get(0, copy);
        flush(copy, "");
        // An answer or a trap, if one follows at once.
        source = null;
        bytes = NOT_KEPT;
    }

    @Override
    public void onDrop(FabricPort where, FabricCounter reason) {
        if (!open) {
            return;
        }
        FabricPort at = hops.isEmpty() ? source : hops.getLast().to;
        boolean inside = where == at && reason != FabricCounter.DROP_PORT_DOWN || where.cable() == null;
        if (!inside) {
            boolean atFarEnd = at == null ? reason == FabricCounter.DROP_CABLE_LOSS : where.node() != at.node();
            FabricPort other = otherEnd(where);
            hops.add(new Hop(nowNs, atFarEnd ? other : where, atFarEnd ? where : other));
            nowNs += HOP_NS;
        }
        if (hops.isEmpty()) {
            return;
        }
        flush(bytes, reason.name());
        if (kind == SubnetObserver.Kind.MANAGEMENT) {
            bytes = NOT_KEPT;
        }
    }

    private static FabricPort otherEnd(FabricPort port) {
        Cable cable = port.cable();
        return cable.first() == port ? cable.second() : cable.first();
    }

    private void flush(byte[] datagram, String drop) {
        for (Hop each : hops) {
            events++;
            observer.onHop(each.sentNs, simulation.number(each.from.node()), simulation.number(each.to.node()), kind, datagram,
                each == hops.getLast() ? drop : "");
        }
        hops.clear();
    }

    @Override
    public void onPortState(FabricPort port, int before, int now) {
        if (open) {
            events++;
            observer.onPortState(nowNs, simulation.number(port.node()), port.number(), PortInfo.stateName(before), PortInfo.stateName(now));
        }
    }

    @Override
    public void onLid(FabricPort port) {
        if (open) {
            events++;
            observer.onLid(nowNs, simulation.number(port.node()), port.number(), port.lid());
        }
    }

    @Override
    public void onForwarding(FabricSwitch changed) {
        if (open) {
            events++;
            observer.onForwarding(nowNs, simulation.number(changed));
        }
    }

    void onManager(int node, String event) {
        events++;
        observer.onManager(nowNs, node, event);
    }

    void onData(int node, int number) {
        events++;
        observer.onData(nowNs, node, number);
    }
}
