// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.softrdma.device.verbs.RunningDevices;
import org.softrdma.host.capture.CaptureFile;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.DeletionWatch;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.config.OptionWatch;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.orphans.ConnectionRecord;
import org.softrdma.link.DirectLink;
import org.softrdma.link.Link;
import org.softrdma.link.capture.CaptureLink;
import org.softrdma.link.fault.FaultyLink;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.link.raw.RawLinkOptions;
import org.softrdma.link.raw.RawLinks;
import org.softrdma.link.shm.SharedMemoryLink;
import org.softrdma.link.udp.UdpLinkOptions;
import org.softrdma.link.udp.UdpLinks;
import org.softrdma.rxe.config.LocalWire;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.rxe.engine.GidTable;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Gids;
import org.softrdma.wire.net.Udp;

/**
 * An rxe device on a network interface. It is started by the first context opened in a process, and stopped by the last one closed.
 *
 * <p>On an ordinary interface it listens at every address. On the loopback interface each device of any process uses its own 127.0.x.y, so
 * that any number of devices can communicate on one host.
 */
final class RxeDevice implements RdmaDevice {
    private static final System.Logger LOG = System.getLogger(RxeDevice.class.getName());
    private static final int HOSTS_OF_NETWORK = 254;
    private static final int LOOPBACK_ADDRESSES = 16 * HOSTS_OF_NETWORK;
    private static final RunningDevices<RunningRxe> RUNNING = new RunningDevices<>();

    private final String name;
    private final NetDevice netdev;
    private final int index;
    /** Source of the faults; null if the program sets them. */
    private final LinkStore store;
    private final RxeOptions options;

    /**
     * Creates a configured or default device.
     *
     * @param index position among all devices
     */
    RxeDevice(ConfiguredLink link, NetDevice netdev, int index, LinkStore store) {
        this(link.name(), netdev, index, store, RxeOptions.DEFAULT.withFaults(link.get(RxeLinkType.FAULT))
            .withCongestion(link.get(RxeLinkType.CONGESTION)).withRecovery(link.get(RxeLinkType.RECOVERY))
            .withKeepAliveNs(link.get(RxeLinkType.KEEPALIVE)).withSegmentation(link.get(RxeLinkType.SEGMENTATION))
            .withLimitedMemory(link.get(LinkOption.MEMLOCK)).withStrict(link.get(LinkOption.STRICT))
            .withRecordedEvents(link.get(LinkOption.RECORD))
            .withWire(RxeLinkType.wire(link)).withLocalWire(localWire(link)));
    }

    /** Creates a device that is not configured. */
    RxeDevice(String name, NetDevice netdev, RxeOptions options) {
        this(name, netdev, -1, null, options);
    }

    private RxeDevice(String name, NetDevice netdev, int index, LinkStore store, RxeOptions options) {
        this.name = name;
        this.netdev = netdev;
        this.index = index;
        this.store = store;
        this.options = options;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public long nodeGuid() {
        return netdev.nodeGuid();
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    @Override
    public Transport transport() {
        return Transport.INFINIBAND;
    }

    @Override
    public String netdev() {
        return netdev.name();
    }

    @Override
    public Context open() {
        RxeContext context = RUNNING.open(name, this::start, (running, whenClosed) -> new RxeContext(this, running, whenClosed));
        context.obey(options.limitedMemory(), options.strict());
        return context;
    }

    /** Describes the device from its running instance in this process, otherwise from the interface; nothing is opened. */
    @Override
    public DeviceDescription describe() {
        RunningRxe running = RUNNING.find(name);
        NetDevice now = netdev.now();
        GidTable gids = running == null ? GidTable.of(now, options.wire().types(), GidTable.addressesOf(now)) : running.gids();
        return new DeviceDescription(RxeLimits.attributes(nodeGuid()), RxePort.attributes(now, 0, 0), gids.entries());
    }

    private RunningRxe start() {
        NetDevice now = netdev.now();
        now.requireUsable(name);
        List<Gid> addresses = GidTable.addressesOf(now);
        OptionWatch<LinkFaults> watch = store == null ? null : new OptionWatch<>(store, name, RxeLinkType.FAULT);
        DeletionWatch deletion = store == null ? null : new DeletionWatch(store, name);
        LinkFaults atFirst = watch == null ? options.faults() : watch.value();
        Link opened = netdev.loopback() ? openLoopback(addresses) : openOrdinary(addresses);
        Link link = withLocalWire(opened);
        Path capture = CaptureFile.requested(name);
        Link used = capture == null ? link : new CaptureLink(link, capture);
        // Faults are applied above the capture, which shows the packets on the wire.
        FaultyLink faulty = new FaultyLink(used, atFirst, System::nanoTime);
        RunningRxe running = new RunningRxe(now, caGuid(link), GidTable.of(now, link.types(), link.addresses()), faulty,
            Udp.DEST_PORT_ROCE, roceMode(), options.queuePairs(), new SecureRandom(), System::nanoTime, name);
        running.recordEvents(options.recordedEvents());
        running.recordConnections(new ConnectionRecord(StateDirectory.ofUser()));
        running.start();
        if (!atFirst.isNone()) {
            LOG.log(System.Logger.Level.INFO, name + ": opened with link faults: " + atFirst);
        }
        running.follow("softrdma-" + name + "-watch", () -> {
            if (store != null) {
                watch.poll(running::setFaults);
                deletion.poll(running.port()::removed);
            }
            return running.portIs(NetDevice.find(netdev.name()));
        });
        return running;
    }

    private Link withLocalWire(Link link) {
        return switch (options.localWire()) {
            case UDP -> link;
            case DIRECT -> new DirectLink(link, System::nanoTime);
            case SHM -> new DirectLink(SharedMemoryLink.over(link, System::nanoTime), System::nanoTime);
        };
    }

    private static LocalWire localWire(ConfiguredLink link) {
        LocalWire chosen = link.get(RxeLinkType.WIRE);
        return chosen == null ? LocalWire.usual() : chosen;
    }

    private Supplier<GidType> roceMode() {
        GidType usual = options.wire().usualMode();
        return store == null ? () -> usual : new RoceMode(store, name, usual);
    }

    /** Returns the node's GUID; on the loopback interface, where all devices share it, a GUID with the device's own address. */
    private long caGuid(Link link) {
        return netdev.loopback() ? Gids.nodeGuid(netdev.mac() | link.addresses().getFirst().low() & 0xffffff) : nodeGuid();
    }

    /** Opens the link at all addresses; without IPv6 at first if an address cannot be used yet, as during duplicate address detection. */
    private Link openOrdinary(List<Gid> addresses) {
        try {
            return openAll(addresses);
        } catch (VerbsException refused) {
            List<Gid> ipv4 = addresses.stream().filter(Gid::isIpv4Mapped).toList();
            if (refused.errno() != Errno.EADDRNOTAVAIL || ipv4.isEmpty() || ipv4.size() == addresses.size()) {
                throw refused;
            }
            return openAll(ipv4);
        }
    }

    private Link openAll(List<Gid> addresses) {
        return options.wire().raw()
            ? RawLinks.open(addresses, RawLinkOptions.on(netdev.name(), netdev.mac(), options.wire().types()))
            : UdpLinks.open(addresses, UdpLinkOptions.DEFAULT.withInterface(netdev.name()));
    }

    /**
     * Opens the link at the first free 127.0.x.y, and at ::1 if that is free. Addresses that are taken are passed over without opening a
     * link: the error of that names the process that has the address, for which all of /proc is searched.
     */
    private Link openLoopback(List<Gid> addresses) {
        VerbsException last = null;
        for (int i = 0; i < LOOPBACK_ADDRESSES; i++) {
            Gid own = loopbackAddress(i);
            if (UdpLinks.isTaken(own) && i < LOOPBACK_ADDRESSES - 1) {
                continue;
            }
            try {
                List<Gid> wanted = new ArrayList<>(List.of(own));
                addresses.stream().filter(gid -> !gid.isIpv4Mapped() && !UdpLinks.isTaken(gid)).forEach(wanted::add);
                return openOrOnly(own, wanted);
            } catch (VerbsException refused) {
                if (refused.errno() != Errno.EADDRINUSE) {
                    throw refused;
                }
                last = refused;
            }
        }
        throw last;
    }

    /** Returns 127.0.0.1 to 127.0.0.254, then 127.0.1.1 to 127.0.1.254, and so on. */
    static Gid loopbackAddress(int index) {
        return Gid.ofIpv4(0x7f000000 | index / HOSTS_OF_NETWORK << 8 | index % HOSTS_OF_NETWORK + 1);
    }

    private Link openOrOnly(Gid own, List<Gid> wanted) {
        try {
            return openAll(wanted);
        } catch (VerbsException refused) {
            if (wanted.size() == 1) {
                throw refused;
            }
            return openAll(List.of(own));
        }
    }

    @Override
    public String toString() {
        return name + " on " + netdev.name();
    }
}
