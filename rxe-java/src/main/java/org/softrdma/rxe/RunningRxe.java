// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.engine.RunningDevice;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.orphans.ConnectionRecord;
import org.softrdma.link.SubnetPort;
import org.softrdma.link.fault.FaultyLink;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.rxe.engine.GidTable;
import org.softrdma.rxe.engine.RxeEngine;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.rxe.qp.InterfaceMtu;
import org.softrdma.rxe.qp.LingeringQueuePairs;
import org.softrdma.rxe.qp.RxeCounter;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.VerbsException;

/** An rxe device while contexts are open on it: adds the link, the GID table and the connection manager. */
final class RunningRxe extends RunningDevice<RxeEngine> {
    private static final System.Logger LOG = System.getLogger(RunningRxe.class.getName());

    private final GidTable gids;
    private final FaultyLink link;
    private final Supplier<GidType> roceMode;
    private final RxeCm cm = new RxeCm(this);
    private final DeviceAttributes attributes;
    /** Addresses of the interface that could not be used, and were complained about. */
    private final Set<Gid> refused = new HashSet<>();
    private boolean brokenLogged;
    /** Connections for the case that this process is killed; null for a device that only a simulator drives. */
    private ConnectionRecord record;

    /**
     * @param caGuid     names the adapter to peers; no other one in their reach has it
     * @param gids       the port's table; entries that are not among the link's addresses can be shown but not used
     * @param roceMode   the version of RoCE that connections by address ask for, at any time
     * @param options    as asked for
     * @param random     secure, outside the simulator
     * @param clock      nanoseconds of the clock that the engine is driven by
     * @param thread     name of the agent's thread; null for a device that only a simulator drives
     */
    RunningRxe(NetDevice netdev, long caGuid, GidTable gids, FaultyLink link, int udpPort, Supplier<GidType> roceMode,
               QueuePairOptions options, RandomGenerator random, LongSupplier clock, String thread) {
        super(netdev, new RxeEngine(link, udpPort, caGuid,
            options.onInterface(options.congestion().on() ? netdev.bitsPerSecond() : 0), random, clock), clock, thread);
        this.gids = gids;
        this.link = link;
        this.roceMode = roceMode;
        SubnetPort subnet = link.subnetPort();
        attributes = subnet == null ? RxeLimits.attributes(netdev.nodeGuid())
            : RxeLimits.attributes(subnet.nodeGuid(), subnet.systemGuid(), subnet.pkeys().size());
        engine().explainBy(new MtuOfInterface(thread != null));
    }

    /** The interface as it is when a connection fails; the last look at it may be half a second old. */
    private final class MtuOfInterface implements InterfaceMtu {
        private final boolean real;

        /** @param real the host has the interface; otherwise only {@link #portIs} changes it */
        MtuOfInterface(boolean real) {
            this.real = real;
        }

        private NetDevice netdevNow() {
            return real ? port().orLastKnown(NetDevice.find(netdev().name())) : netdev();
        }

        @Override
        public int pathMtu() {
            return link.subnetPort() == null ? RxePort.activeMtu(netdevNow()).bytes() : activeMtu().bytes();
        }

        @Override
        public void onConnectionLost(int qpn, int pathMtu) {
            NetDevice now = netdevNow();
            LOG.log(System.Logger.Level.WARNING, now.name() + ": qp 0x" + Integer.toHexString(qpn)
                + " failed with RETRY_EXC_ERR: its path MTU of " + pathMtu + " bytes no longer fits the interface, whose MTU is "
                + now.mtu() + " now (RoCE " + pathMtu() + "); connect again with that, or raise the MTU");
        }
    }

    /** Attributes of the port now. */
    PortAttributes portAttributes(int badPkeys, int badQkeys) {
        SubnetPort subnet = link.subnetPort();
        return subnet == null ? RxePort.attributes(netdev(), badPkeys, badQkeys) : RxePort.attributes(subnet, badPkeys, badQkeys);
    }

    /** Greatest path MTU of the port now. */
    Mtu activeMtu() {
        SubnetPort subnet = link.subnetPort();
        return subnet == null ? RxePort.activeMtu(netdev()) : RxePort.activeMtu(subnet);
    }

    /** Records all further connections, and ends those of other processes that were killed, until the device stops. */
    void recordConnections(ConnectionRecord connections) {
        record = connections;
        engine().gsi().manager().keepDisconnects(new RecordedDisconnects(connections));
        OrphanedConnections.onDeviceOpened();
    }

    /** Removes the record: all peers have been notified. */
    void closeRecord() {
        if (record != null) {
            record.close();
        }
    }

    /**
     * Applies a new state of the interface: the port follows it, with events to all contexts. Queue pairs do not: packets sent while the
     * port is down are lost and retransmitted, as in kernel rxe. One thread at a time.
     *
     * @param found null if there is no such interface any more; it may come back
     * @return false if this has to be repeated twice a second even if the interface does not change
     */
    boolean portIs(NetDevice found) {
        NetDevice before = port().netdev();
        NetDevice now = port().orLastKnown(found);
        boolean gidsChanged;
        boolean settled;
        agent().lock().lock();
        try {
            // The loopback's one address is this device's own, and not on the interface's list.
            gidsChanged = !now.loopback() && gids.update(now, useAddresses(now));
            settled = now.loopback() || link.addresses().containsAll(GidTable.addressesOf(now));
            settled &= !link.refresh(now.ifIndex());
            port().update(now);
            if (before.isActive() && !now.isActive()) {
                engine().counters().count(RxeCounter.LINK_DOWNED);
            }
            if (link.isBroken() && !brokenLogged) {
                brokenLogged = true;
                port().raiseOfDevice(AsyncEventType.DEVICE_FATAL);
            }
        } finally {
            agent().lock().unlock();
        }
        port().raiseChange(before);
        if (gidsChanged) {
            port().raise(AsyncEventType.GID_CHANGE);
        }
        return settled;
    }

    /**
     * Applies a new state of the port of an InfiniBand subnet, as {@link #portIs} does for an interface.
     *
     * @param before at the last look
     * @return false: subnet management reports changes to the link only, so it has to be looked at twice a second
     */
    boolean subnetPortIs(SubnetPort before, SubnetPort now) {
        NetDevice netdev = port().netdev();
        agent().lock().lock();
        try {
            port().update(SubnetDevice.netdev(now));
            if (netdev.isActive() && !netdev().isActive()) {
                engine().counters().count(RxeCounter.LINK_DOWNED);
            }
            if (link.isBroken() && !brokenLogged) {
                brokenLogged = true;
                port().raiseOfDevice(AsyncEventType.DEVICE_FATAL);
            }
        } finally {
            agent().lock().unlock();
        }
        port().raiseChange(netdev);
        raiseIf(gids.update(now), AsyncEventType.GID_CHANGE);
        raiseIf(now.lid() != before.lid() || now.lmc() != before.lmc(), AsyncEventType.LID_CHANGE);
        raiseIf(now.smLid() != before.smLid(), AsyncEventType.SM_CHANGE);
        raiseIf(!now.pkeys().equals(before.pkeys()), AsyncEventType.PKEY_CHANGE);
        raiseIf(now.reregistrations() != before.reregistrations(), AsyncEventType.CLIENT_REREGISTER);
        return false;
    }

    private void raiseIf(boolean happened, AsyncEventType event) {
        if (happened) {
            port().raise(event);
        }
    }

    /**
     * Gives the link the interface's addresses.
     *
     * @return those it could take; the next look tries the others again
     */
    private List<Gid> useAddresses(NetDevice now) {
        List<Gid> wanted = GidTable.addressesOf(now);
        link.addresses().stream().filter(gid -> !wanted.contains(gid)).forEach(link::removeAddress);
        for (Gid gid : wanted) {
            if (!link.addresses().contains(gid)) {
                tryAddress(gid);
            }
        }
        return wanted.stream().filter(link.addresses()::contains).toList();
    }

    private void tryAddress(Gid gid) {
        try {
            link.addAddress(gid);
            refused.remove(gid);
        } catch (VerbsException failed) {
            // A fresh IPv6 address is checked for duplicates first, which takes the host a second or two.
            if (failed.errno() != Errno.EADDRNOTAVAIL && refused.add(gid)) {
                LOG.log(System.Logger.Level.WARNING, netdev().name() + " does without " + gid + ": " + failed.getMessage());
            }
        }
    }

    /** Replaces the faults of the link. Any thread. */
    void setFaults(LinkFaults faults) {
        agent().lock().lock();
        try {
            link.change(faults);
        } finally {
            agent().lock().unlock();
        }
        // Wake the device: packets that the old faults delayed may be due.
        agent().doorbell();
    }

    LinkFaults faults() {
        agent().lock().lock();
        try {
            return link.faults();
        } finally {
            agent().lock().unlock();
        }
    }

    /** The engine's counters, then those of the faults. */
    @Override
    public Map<String, Long> counters() {
        agent().lock().lock();
        try {
            Map<String, Long> all = super.counters();
            all.putAll(link.counters());
            return all;
        } finally {
            agent().lock().unlock();
        }
    }

    /** Notifies the peers of connections that were not ended, and waits until no peer of a lingering queue pair can need an answer. */
    @Override
    protected void endConnections() {
        cm.abandonAll();
        cm.settleAtStop();
        closeRecord();
        awaitWhile(() -> engine().lingering().lingers(System.nanoTime()), LingeringQueuePairs.LINGER_NS);
    }

    @Override
    protected void closeTransport() {
        link.close();
        if (record != null) {
            OrphanedConnections.onDeviceClosed();
        }
    }

    GidTable gids() {
        return gids;
    }

    FaultyLink link() {
        return link;
    }

    /** The version of RoCE that connections by address ask for now. Any thread. */
    GidType roceMode() {
        return roceMode.get();
    }

    RxeCm cm() {
        return cm;
    }

    DeviceAttributes attributes() {
        return attributes;
    }
}
