// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.softrdma.abi.sysfs.DeviceNumber;
import org.softrdma.abi.sysfs.SysfsDevice;
import org.softrdma.abi.sysfs.SysfsTree;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceNode;
import org.softrdma.daemon.trap.DeviceSource;
import org.softrdma.daemon.ucm.QueuePairOwners;
import org.softrdma.daemon.ucm.UcmDevice;
import org.softrdma.daemon.umad.UmadDevice;
import org.softrdma.daemon.verbs.UverbsDevice;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

/**
 * The user's devices as programs see them: those of {@code rdma link show}, each with its number, and the connection manager's. A device
 * that is added to the configuration appears at the next look; one that is deleted ends with its files. Any thread.
 */
final class HostDevices implements DeviceSource, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HostDevices.class.getName());

    private final Devices devices;
    private final UcmDevice connections;
    /** By the user's name for the device; guarded by this object's monitor. */
    private final Map<String, UverbsDevice> views = new LinkedHashMap<>();
    /** Management datagrams of those that have them, by the same names; guarded by this object's monitor. */
    private final Map<String, UmadDevice> umads = new LinkedHashMap<>();

    /** Lists the configured devices. */
    interface Devices {
        /**
         * Returns the devices, by index.
         *
         * @throws VerbsException the configuration cannot be read
         */
        List<RdmaDevice> list();
    }

    /**
     * Creates the view; nothing is opened.
     *
     * @param devices     lists what is configured at the moment
     * @param connections the connection manager's device, which this class closes
     */
    HostDevices(Devices devices, ConnectionsMaker connections) {
        this.devices = devices;
        this.connections = connections.make(this::owns);
    }

    /** Makes the connection manager's device. */
    interface ConnectionsMaker {
        UcmDevice make(QueuePairOwners owners);
    }

    private synchronized boolean owns(ClientProcess process, String device, int qpNum) {
        UverbsDevice view = views.get(device);
        return view != null && view.queuePair(process.pid(), qpNum) != null;
    }

    @Override
    public synchronized List<DeviceNode> nodes() {
        update();
        List<DeviceNode> nodes = new ArrayList<>(views.values());
        nodes.addAll(umads.values());
        nodes.add(connections);
        return nodes;
    }

    /**
     * One device as programs see it.
     *
     * @param netdev   its network interface
     * @param driverId {@code enum rdma_driver_id}
     */
    record Shown(SysfsDevice device, String netdev, int driverId) {
    }

    @Override
    public Map<String, String> sysfs() {
        return SysfsTree.of(shown().stream().map(Shown::device).toList(), connections.number());
    }

    /** The number of the device file of the connection manager. */
    DeviceNumber rdmaCm() {
        return connections.number();
    }

    /** The devices as they are now. */
    synchronized List<Shown> shown() {
        update();
        List<Shown> shown = new ArrayList<>();
        Map<UverbsDevice, String> names = names();
        for (UverbsDevice view : views.values()) {
            try {
                SysfsDevice sheet = DeviceSheet.of(view, umads.get(view.device().name()), names.get(view));
                shown.add(new Shown(sheet, view.device().netdev(), view.driverId()));
            } catch (VerbsException unknown) {
                LOG.log(System.Logger.Level.WARNING, view.device().name() + " is not shown: " + unknown.getMessage());
            }
        }
        return shown;
    }

    /** The devices' files, by the user's names of the devices. */
    synchronized Map<String, UverbsDevice> views() {
        update();
        return new LinkedHashMap<>(views);
    }

    private void update() {
        Map<String, RdmaDevice> configured = new LinkedHashMap<>();
        for (RdmaDevice each : devices.list()) {
            configured.put(each.name(), each);
        }
        for (String name : Set.copyOf(views.keySet())) {
            RdmaDevice now = configured.get(name);
            if (now == null || !isSame(now, views.get(name).device())) {
                views.remove(name).close();
                closeUmad(umads.remove(name));
            }
        }
        for (Map.Entry<String, RdmaDevice> each : configured.entrySet()) {
            if (!views.containsKey(each.getKey())) {
                add(each.getKey(), each.getValue());
            }
        }
    }

    private void add(String name, RdmaDevice device) {
        views.put(name, new UverbsDevice(device, freeNumber(views.values().stream().map(UverbsDevice::index))));
        if (device.transport() != Transport.IWARP) {
            umads.put(name, new UmadDevice(device, freeNumber(umads.values().stream().map(UmadDevice::index))));
        }
    }

    private static void closeUmad(UmadDevice umad) {
        if (umad != null) {
            umad.close();
        }
    }

    private static boolean isSame(RdmaDevice one, RdmaDevice other) {
        return one.transport() == other.transport() && one.netdev().equals(other.netdev());
    }

    private static int freeNumber(Stream<Integer> used) {
        Set<Integer> taken = used.collect(Collectors.toSet());
        int number = 0;
        while (taken.contains(number)) {
            number++;
        }
        return number;
    }

    /** Names for programs: libibverbs chooses librxe and libsiw by the beginning of a device's name. */
    private Map<UverbsDevice, String> names() {
        Map<UverbsDevice, String> names = new HashMap<>();
        Set<String> taken = new HashSet<>(views.keySet());
        for (UverbsDevice view : views.values()) {
            String name = view.device().name();
            String prefix = DeviceSheet.prefix(view);
            if (name.startsWith(prefix)) {
                names.put(view, name);
                continue;
            }
            int number = 0;
            while (!taken.add(prefix + number)) {
                number++;
            }
            names.put(view, prefix + number);
        }
        return names;
    }

    @Override
    public synchronized void close() {
        umads.values().forEach(UmadDevice::close);
        umads.clear();
        views.values().forEach(UverbsDevice::close);
        views.clear();
        connections.close();
    }
}
