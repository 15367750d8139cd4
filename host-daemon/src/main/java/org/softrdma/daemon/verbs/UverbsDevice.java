// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.abi.sysfs.DeviceNumber;
import org.softrdma.daemon.rings.RingDoor;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceNode;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/**
 * A device as programs see it: {@code /dev/infiniband/uverbsN}. The first program that opens it starts it; it then runs until
 * {@link #close}, so that its addresses stay while programs come and go. Any thread.
 */
public final class UverbsDevice implements DeviceNode, AutoCloseable {
    private final RdmaDevice device;
    private final int index;
    private final LibraryDriver driver;
    private final AtomicInteger lastFile = new AtomicInteger();
    private final Set<UverbsFile> files = ConcurrentHashMap.newKeySet();
    /** Keeps the device running; null before the first program. Replaced with the monitor held. */
    private volatile SoftContext running;
    private volatile DeviceBells bells;
    private volatile RingDoor door;

    /**
     * Creates the view of a device that is not running yet.
     *
     * @param index its position among the devices of a host, from 0
     */
    public UverbsDevice(RdmaDevice device, int index) {
        this.device = device;
        this.index = index;
        driver = LibraryDriver.of(device.transport());
    }

    /** Creates the views of devices, numbered in their order. */
    public static List<UverbsDevice> of(List<RdmaDevice> devices) {
        List<UverbsDevice> views = new ArrayList<>();
        for (RdmaDevice each : devices) {
            views.add(new UverbsDevice(each, views.size()));
        }
        return views;
    }

    /** Returns the name of the device file, {@code uverbsN}; that of the device is {@link #device}'s. */
    @Override
    public String name() {
        return "uverbs" + index;
    }

    @Override
    public DeviceNumber number() {
        return DeviceNumber.uverbs(index);
    }

    /** Returns the device. */
    public RdmaDevice device() {
        return device;
    }

    /** Returns the position among the devices of a host, from 0. */
    public int index() {
        return index;
    }

    /** Returns the number of the driver's half in libibverbs, {@code enum rdma_driver_id}. */
    public int driverId() {
        return driver.id();
    }

    /** Returns the device's counters by name; none before the first program. */
    public Map<String, Long> counters() {
        SoftContext context = running;
        return context == null ? Map.of() : context.counters();
    }

    /** Returns the inline bytes of a send that programs may ask for. libibverbs has no query for it. */
    public int maxInlineData() {
        return Math.min(device.describe().device().maxInlineData(), driver.maxCapabilities().maxInlineData());
    }

    /** Returns the version of the interface between that half and us, as sysfs shows it. */
    public int abiVersion() {
        return driver.abiVersion();
    }

    LibraryDriver driver() {
        return driver;
    }

    RingDoor door() {
        return door;
    }

    DeviceBells bells() {
        return bells;
    }

    @Override
    public UverbsFile open(ClientProcess process) {
        start();
        SoftContext context = openContext();
        context.actFor(process.owner());
        if (context.strict() != null) {
            context.strict().program(process.command() + ", process " + process.pid());
        }
        try {
            UverbsFile file = new UverbsFile(this, lastFile.incrementAndGet(), process, context);
            files.add(file);
            context.onRemoval(file::closed);
            return file;
        } catch (RuntimeException | Error refused) {
            context.close();
            throw refused;
        }
    }

    private SoftContext openContext() {
        return (SoftContext) device.open();
    }

    private synchronized void start() {
        if (running != null) {
            return;
        }
        SoftContext context = openContext();
        try {
            bells = new DeviceBells(context.agent().lock());
            door = new RingDoor(bells);
            context.agent().frontDoor(door);
            running = context;
        } catch (RuntimeException | Error refused) {
            context.close();
            throw refused;
        }
    }

    /** Ends the bookkeeping of a closed file. */
    void forget(UverbsFile file) {
        bells.remove(file);
        files.remove(file);
    }

    /**
     * Returns the open files of a process.
     *
     * @param pid as {@link ClientProcess#pid}
     */
    public List<UverbsFile> filesOf(int pid) {
        List<UverbsFile> found = new ArrayList<>();
        for (UverbsFile each : files) {
            if (each.process().pid() == pid) {
                found.add(each);
            }
        }
        return found;
    }

    /**
     * Finds a queue pair that a process has made on this device.
     *
     * @param pid as {@link ClientProcess#pid}
     * @return null if it has none with that number
     */
    public ProgramQueuePair queuePair(int pid, int qpNum) {
        for (UverbsFile each : filesOf(pid)) {
            HeldQp found = each.queuePair(qpNum);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /**
     * Closes all files of programs, and stops the device unless others in this process use it.
     *
     * @throws VerbsException the device cannot be stopped
     */
    @Override
    public synchronized void close() {
        files.forEach(UverbsFile::closed);
        if (running != null) {
            running.close();
            running = null;
            bells.close();
        }
    }

    @Override
    public String toString() {
        return name() + " (" + device.name() + ')';
    }
}
