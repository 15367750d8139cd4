// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.softrdma.device.Counters;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SlToVlMapping;

/**
 * Follows packets from port to port: by a switch's linear table for one port, by its multicast table for a group. A packet that cannot go
 * on is dropped and counted, at the port by the counters that performance management reads, and in the fabric by the reason. Source: IBA
 * vol 1 §18.2.4.
 */
final class PacketRouter {
    /** Most switches of a path. */
    private static final int MAX_HOPS = 63;
    /** Most copies of a packet to a group. */
    private static final int MAX_COPIES = 4096;

    private final Counters<FabricCounter> counters;
    private final RandomGenerator random;
    private final FabricObserver observer;
    private final Consumer<FabricPort> armedPortSawData;
    private int copies;

    /**
     * Creates a router.
     *
     * @param random           for losses of cables
     * @param armedPortSawData gets ports that became active by the first packet
     */
    PacketRouter(Counters<FabricCounter> counters, RandomGenerator random, FabricObserver observer, Consumer<FabricPort> armedPortSawData) {
        this.counters = counters;
        this.random = random;
        this.observer = observer;
        this.armedPortSawData = armedPortSawData;
    }

    /**
     * Follows a packet to one port.
     *
     * @param source the sender's port: an adapter's, or port 0 of a switch
     * @return the port that has the LID, or null if the packet was dropped
     */
    FabricPort route(FabricPort source, Crossing packet) {
        if (source.owns(packet.dlid())) {
            return source;
        }
        FabricPort out = source.isInternal() ? output(source, packet) : source;
        for (int hops = 0; out != null; hops++) {
            FabricPort in = cross(out, packet);
            if (in == null || isDestination(in, packet)) {
                return in;
            }
            if (!in.node().isSwitch()) {
                in.traffic().rcvErrors++;
                return drop(in, FabricCounter.DROP_WRONG_LID);
            }
            FabricPort own = in.node().port(0);
            if (own.owns(packet.dlid())) {
                return own;
            }
            if (hops == MAX_HOPS) {
                return drop(in, FabricCounter.DROP_LOOP);
            }
            out = output(in, packet);
        }
        return null;
    }

    private static boolean isDestination(FabricPort in, Crossing packet) {
        return !in.node().isSwitch() && in.owns(packet.dlid());
    }

    /** The port by which a packet that came in leaves a switch, or null if it was dropped. */
    private FabricPort output(FabricPort in, Crossing packet) {
        FabricSwitch node = (FabricSwitch) in.node();
        int number = node.outputPort(packet.dlid());
        FabricPort out = number == LinearForwardingBlock.NO_PORT ? null : node.port(number);
        // A packet never returns by the port that it came in by, and port 0 is for the switch's own LIDs.
        if (out == null || out == in || out.isInternal()) {
            in.traffic().rcvSwitchRelayErrors++;
            return drop(in, FabricCounter.DROP_NO_ROUTE);
        }
        return mayLeave(in, out, packet) ? out : null;
    }

    private boolean mayLeave(FabricPort in, FabricPort out, Crossing packet) {
        if (!packet.isManagementLane()
            && SlToVlMapping.get(out.slToVl(), out.slToVlOf(in), packet.sl()) == SlToVlMapping.DROP) {
            in.traffic().rcvSwitchRelayErrors++;
            drop(in, FabricCounter.DROP_SERVICE_LEVEL);
            return false;
        }
        if (out.refuses(packet, false)) {
            out.traffic().xmitConstraintErrors++;
            drop(out, FabricCounter.DROP_PARTITION);
            return false;
        }
        return true;
    }

    /**
     * Passes a packet over the cable of a port.
     *
     * @return the port at the other end, or null if the packet was dropped
     */
    FabricPort cross(FabricPort out, Crossing packet) {
        FabricPort in = out.peer();
        if (in == null || !(packet.isManagementLane() ? out.isUp() && in.isUp() : out.isActive())) {
            out.traffic().xmitDiscards++;
            return drop(out, FabricCounter.DROP_PORT_DOWN);
        }
        if (!packet.isManagementLane() && !out.carries(packet.bytes())) {
            out.traffic().xmitDiscards++;
            return drop(out, FabricCounter.DROP_TOO_LONG);
        }
        out.traffic().countXmit(packet.bytes(), packet.isMulticast());
        if (out.cable().loss() > 0 && random.nextDouble() < out.cable().loss()) {
            in.traffic().rcvErrors++;
            return drop(in, FabricCounter.DROP_CABLE_LOSS);
        }
        if (!packet.isManagementLane() && !takesData(in)) {
            in.traffic().rcvErrors++;
            return drop(in, FabricCounter.DROP_PORT_DOWN);
        }
        in.traffic().countRcv(packet.bytes(), packet.isMulticast());
        if (in.refuses(packet, true)) {
            in.traffic().rcvConstraintErrors++;
            return drop(in, FabricCounter.DROP_PARTITION);
        }
        observer.onHop(out, in);
        return in;
    }

    /** Whether a port receives data. An armed one becomes active by the first packet. IBA vol 1 §7.2.7 */
    private boolean takesData(FabricPort in) {
        if (in.state() == PortInfo.STATE_ARMED) {
            armedPortSawData.accept(in);
        }
        return in.isActive();
    }

    /** Passes a packet on to all ports of its group. */
    void multicast(FabricPort source, Crossing packet, Consumer<FabricPort> member) {
        copies = 0;
        if (source.isInternal()) {
            replicate(source, packet, member, 0);
        } else {
            copy(source, packet, member, 0);
        }
    }

    private void copy(FabricPort out, Crossing packet, Consumer<FabricPort> member, int hops) {
        if (++copies > MAX_COPIES) {
            drop(out, FabricCounter.DROP_TOO_MANY_COPIES);
            return;
        }
        FabricPort in = cross(out, packet);
        if (in == null) {
            return;
        }
        if (!in.node().isSwitch()) {
            member.accept(in);
        } else if (hops == MAX_HOPS) {
            drop(in, FabricCounter.DROP_LOOP);
        } else {
            replicate(in, packet, member, hops + 1);
        }
    }

    private void replicate(FabricPort in, Crossing packet, Consumer<FabricPort> member, int hops) {
        FabricSwitch node = (FabricSwitch) in.node();
        boolean any = false;
        for (int number = 0; number <= node.ports(); number++) {
            FabricPort out = node.port(number);
            if (out != in && node.isGroupPort(packet.dlid(), number)) {
                any = true;
                if (out.isInternal()) {
                    member.accept(out);
                } else if (mayLeave(in, out, packet)) {
                    copy(out, packet, member, hops);
                }
            }
        }
        if (!any && !node.isGroupPort(packet.dlid(), in.number())) {
            in.traffic().rcvSwitchRelayErrors++;
            drop(in, FabricCounter.DROP_NO_ROUTE);
        }
    }

    /** Counts a drop. @return null */
    private FabricPort drop(FabricPort where, FabricCounter reason) {
        counters.count(reason);
        observer.onDrop(where, reason);
        return null;
    }
}
