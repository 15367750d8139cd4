// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/**
 * Traps of all nodes: each is sent to the subnet manager that the port knows, and again after the port's subnet timeout, until the manager
 * represses it. Source: IBA vol 1 §13.4.9, §14.2.5.1.
 */
final class TrapSender {
    /** Maximum traps that wait for their end, of all ports together. */
    static final int MAX_PENDING = 1024;
    private static final double TIME_UNIT_NS = 4096;
    /** Least interval, for ports whose subnet timeout is next to nothing. */
    private static final long MIN_INTERVAL_NS = 10_000_000;

    private final Counters<FabricCounter> counters;
    private final BiConsumer<FabricPort, ManagementPacket> send;
    private final List<Pending> pending = new ArrayList<>();
    private long nextTransaction = 1;

    private static final class Pending {
        final FabricPort port;
        final int trap;
        final ByteBuffer mad;
        long dueNs;

        Pending(FabricPort port, int trap, ByteBuffer mad, long dueNs) {
            this.port = port;
            this.trap = trap;
            this.mad = mad;
            this.dueNs = dueNs;
        }
    }

    /** @param send sends a datagram by a port */
    TrapSender(Counters<FabricCounter> counters, BiConsumer<FabricPort, ManagementPacket> send) {
        this.counters = counters;
        this.send = send;
    }

    /** The state of a switch's port changed. */
    void linkState(FabricPort ownPort, long nowNs) {
        ByteBuffer mad = begin(ownPort, Notice.TYPE_URGENT, Notice.TRAP_LINK_STATE);
        Notice.LID.set(mad, Smp.DATA_OFFSET, ownPort.lid());
        begin(ownPort, Notice.TRAP_LINK_STATE, mad, nowNs);
    }

    /** The capability mask of a port changed. */
    void capabilityMask(FabricPort port, long nowNs) {
        ByteBuffer mad = begin(port, Notice.TYPE_INFORMATIONAL, Notice.TRAP_CAPABILITY_MASK);
        Notice.CAPABILITY_LID.set(mad, Smp.DATA_OFFSET, port.lid());
        Notice.CAPABILITY_MASK.set(mad, Smp.DATA_OFFSET, PortInfo.CAPABILITY_MASK.get(port.info(), 0));
        begin(port, Notice.TRAP_CAPABILITY_MASK, mad, nowNs);
    }

    /** A request had a wrong M_Key. */
    void badMkey(FabricPort port, ManagementPacket request, long nowNs) {
        ByteBuffer mad = begin(port, Notice.TYPE_SECURITY, Notice.TRAP_BAD_MKEY);
        Notice.MKEY_LID.set(mad, Smp.DATA_OFFSET, request.slid());
        Notice.MKEY_DR_SLID.set(mad, Smp.DATA_OFFSET, Smp.drSlid(request.mad(), 0));
        Notice.MKEY_METHOD.set(mad, Smp.DATA_OFFSET, request.method());
        Notice.MKEY_ATTRIBUTE.set(mad, Smp.DATA_OFFSET, request.attribute());
        Notice.MKEY_MODIFIER.set(mad, Smp.DATA_OFFSET, Mad.modifier(request.mad(), 0));
        Notice.MKEY.set(mad, Smp.DATA_OFFSET, Smp.mkey(request.mad(), 0));
        Notice.MKEY_DIRECTED.set(mad, Smp.DATA_OFFSET, request.isDirected() ? 1 : 0);
        begin(port, Notice.TRAP_BAD_MKEY, mad, nowNs);
    }

    private ByteBuffer begin(FabricPort port, int type, int trap) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.begin(mad, 0, MadMethod.TRAP, SmAttribute.NOTICE, 0, nextTransaction++, 0);
        Notice.putGeneric(mad, Smp.DATA_OFFSET, type, port.node().kind().number(), trap, port.lid());
        return mad;
    }

    /** Sends a trap, in the place of an older one of its kind. Without a subnet manager to send it to, there is none. */
    private void begin(FabricPort port, int trap, ByteBuffer mad, long nowNs) {
        pending.removeIf(each -> each.port == port && each.trap == trap);
        if (port.lid() == 0 || port.smLid() == 0) {
            return;
        }
        if (pending.size() == MAX_PENDING) {
            counters.count(FabricCounter.DROP_TRAPS_FULL);
            return;
        }
        Pending begun = new Pending(port, trap, mad, nowNs + intervalNs(port));
        pending.add(begun);
        transmit(begun);
    }

    private void transmit(Pending trap) {
        counters.count(FabricCounter.TRAPS_SENT);
        send.accept(trap.port, ManagementPacket.lidRouted(trap.port.lid(), trap.port.smLid(), ManagementPacket.copyOf(trap.mad)));
    }

    private static long intervalNs(FabricPort port) {
        return Math.max(MIN_INTERVAL_NS, (long) (TIME_UNIT_NS * Math.pow(2, PortInfo.SUBNET_TIMEOUT.get(port.info(), 0))));
    }

    /** The subnet manager has a trap. The upper half of a transaction ID belongs to the software that sends a datagram. */
    void onRepress(FabricPort port, long transactionId) {
        pending.removeIf(each -> each.port == port && (int) Mad.transactionId(each.mad, 0) == (int) transactionId);
    }

    /** Sends again what is due, and forgets traps of ports that have no subnet manager any more. */
    void onTime(long nowNs) {
        List<Pending> due = new ArrayList<>();
        for (Iterator<Pending> all = pending.iterator(); all.hasNext();) {
            Pending each = all.next();
            if (each.port.lid() == 0 || each.port.smLid() == 0) {
                all.remove();
            } else if (Deadline.isDue(each.dueNs, nowNs)) {
                each.dueNs = nowNs + intervalNs(each.port);
                due.add(each);
            }
        }
        due.forEach(this::transmit);
    }

    long deadlineNs() {
        long earliestNs = Deadline.NEVER;
        for (Pending each : pending) {
            earliestNs = Deadline.earlier(earliestNs, each.dueNs);
        }
        return earliestNs;
    }
}
