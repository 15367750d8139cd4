// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.softrdma.abi.sysfs.DeviceNumber;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.DeviceNode;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.RdmaDevice;

/**
 * The management datagrams of a device's port as programs see them: {@code /dev/infiniband/umadN}. The first program that opens it starts
 * the device, which then runs until {@link #close}. Any thread.
 */
public final class UmadDevice implements DeviceNode, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(UmadDevice.class.getName());
    /** Every device has one port. */
    static final int PORT = 1;

    private final RdmaDevice device;
    private final int index;
    private final Set<UmadFile> files = ConcurrentHashMap.newKeySet();
    /** The thread for timeouts and for reads that had to wait, which starts when it is needed. */
    private final ScheduledThreadPoolExecutor timer;
    /** Keeps the device running; null before the first program. Written with the monitor held. */
    private volatile SoftContext running;
    private volatile UmadPort port;

    /**
     * Creates the view of a device that is not running yet.
     *
     * @param device with management datagrams, as RoCE has them
     * @param index  its number among such devices of a host, from 0
     */
    public UmadDevice(RdmaDevice device, int index) {
        this.device = device;
        this.index = index;
        timer = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("softrdma-" + name()).factory());
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public String name() {
        return "umad" + index;
    }

    @Override
    public DeviceNumber number() {
        return DeviceNumber.umad(index);
    }

    /** Returns the number among the devices with management datagrams, from 0. */
    public int index() {
        return index;
    }

    /** Returns counts of received datagrams that no program got; none before the first program. */
    public Map<String, Long> counters() {
        UmadPort current = port;
        return current == null ? Map.of() : current.counters();
    }

    @Override
    public DeviceFile open(ClientProcess process) {
        return open();
    }

    UmadFile open() {
        start();
        UmadFile file = new UmadFile(this);
        files.add(file);
        return file;
    }

    private synchronized void start() {
        if (running == null) {
            SoftContext context = (SoftContext) device.open();
            port = new UmadPort(context.madPort());
            running = context;
        }
    }

    /** The device; while a file is open. */
    SoftContext context() {
        return running;
    }

    UmadPort port() {
        return port;
    }

    /** The index of a GID of ours; 0 if the address was removed meanwhile. */
    int indexOf(Gid gid) {
        for (GidEntry each : running.queryGidTable()) {
            if (each.gid().equals(gid)) {
                return each.index();
            }
        }
        return 0;
    }

    /**
     * Runs something on the device's timer thread.
     *
     * @return what cancels it; null if the device ends
     */
    Future<?> after(long delayMs, Runnable due) {
        try {
            return timer.schedule(() -> run(due), delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ending) {
            return null;
        }
    }

    private static void run(Runnable due) {
        try {
            due.run();
        } catch (RuntimeException | Error broken) {
            LOG.log(System.Logger.Level.ERROR, "a timeout of management datagrams was not handled", broken);
        }
    }

    void forget(UmadFile file) {
        files.remove(file);
    }

    /** Ends what programs have open, and stops the device unless others in this process use it. */
    @Override
    public synchronized void close() {
        List.copyOf(files).forEach(UmadFile::end);
        timer.shutdownNow();
        if (running != null) {
            running.close();
        }
    }

    @Override
    public String toString() {
        return name() + " (" + device.name() + ')';
    }
}
