// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.softrdma.device.verbs.RunningDevices;
import org.softrdma.host.capture.CaptureFile;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.DeletionWatch;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.config.OptionWatch;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.config.SiwLinkType;
import org.softrdma.siw.tcp.StreamCapture;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.wire.net.Gids;

/**
 * An iWARP device on a network interface. The first context opened in a process starts it, the last one closed stops it. Its connections
 * are TCP connections of the host, so any number of processes share an interface, as with sockets.
 */
final class SiwDevice implements RdmaDevice {
    private static final RunningDevices<RunningSiw> RUNNING = new RunningDevices<>();

    private final String name;
    private final NetDevice netdev;
    private final int index;
    /** Source of the options; null if the program set them. */
    private final LinkStore store;
    private final MpaOptions options;
    /** Registered memory counts against the process's limit for pinned memory. */
    private final boolean limitedMemory;
    /** The program is held to the rules of adapters. */
    private final boolean strict;
    /** Events that the flight recorder keeps of each queue pair. */
    private final int recordedEvents;

    /** Makes a configured device, or a default one, at position {@code index} of all devices. */
    SiwDevice(ConfiguredLink link, NetDevice netdev, int index, LinkStore store) {
        this(link.name(), netdev, index, store, link.get(SiwLinkType.MPA), link.get(LinkOption.MEMLOCK), link.get(LinkOption.STRICT),
            link.get(LinkOption.RECORD));
    }

    /** Makes a device that is in no list. */
    SiwDevice(String name, NetDevice netdev, MpaOptions options) {
        this(name, netdev, -1, null, options, false, false, LinkOption.RECORD.usual());
    }

    private SiwDevice(String name, NetDevice netdev, int index, LinkStore store, MpaOptions options, boolean limitedMemory,
            boolean strict, int recordedEvents) {
        this.name = name;
        this.netdev = netdev;
        this.index = index;
        this.store = store;
        this.options = options;
        this.limitedMemory = limitedMemory;
        this.strict = strict;
        this.recordedEvents = recordedEvents;
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
        return Gids.nodeGuid(SiwPort.hardwareAddress(name, netdev));
    }

    @Override
    public NodeType nodeType() {
        return NodeType.RNIC;
    }

    @Override
    public Transport transport() {
        return Transport.IWARP;
    }

    @Override
    public String netdev() {
        return netdev.name();
    }

    @Override
    public Context open() {
        SiwContext context = RUNNING.open(name, this::start, (running, whenClosed) -> new SiwContext(this, running, whenClosed));
        context.obey(limitedMemory, strict);
        return context;
    }

    @Override
    public DeviceDescription describe() {
        NetDevice now = netdev.now();
        return new DeviceDescription(SiwLimits.attributes(nodeGuid(), options), SiwPort.attributes(now),
            List.of(SiwPort.gid(now, SiwPort.hardwareAddress(name, netdev))));
    }

    private RunningSiw start() {
        NetDevice now = netdev.now();
        now.requireUsable(name);
        OptionWatch<MpaOptions> watch = store == null ? null : new OptionWatch<>(store, name, SiwLinkType.MPA);
        DeletionWatch deletion = store == null ? null : new DeletionWatch(store, name);
        RunningSiw running = new RunningSiw(now, SiwPort.hardwareAddress(name, netdev), watch == null ? options : watch.value(),
            new SecureRandom(), System::nanoTime, name, capture());
        running.recordEvents(recordedEvents);
        running.start();
        running.follow("softrdma-" + name + "-watch", () -> {
            if (store != null) {
                watch.poll(running::options);
                deletion.poll(running.port()::removed);
            }
            running.portIs(NetDevice.find(netdev.name()));
            return true;
        });
        return running;
    }

    /** Returns the capture that the environment requests, or null. */
    private StreamCapture capture() {
        Path file = CaptureFile.requested(name);
        return file == null ? null : new StreamCapture(file, CaptureFile.systemClock(), name + " on " + netdev.name());
    }

    @Override
    public String toString() {
        return name + " on " + netdev.name();
    }
}
