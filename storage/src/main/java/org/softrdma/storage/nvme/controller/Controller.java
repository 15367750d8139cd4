// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.storage.nvme.wire.ControllerProperty;
import org.softrdma.storage.nvme.wire.NvmeStatus;

/**
 * A controller: the association of one host with the subsystem, from the Connect of its admin queue to the end of that queue's connection.
 * Any thread, with its own monitor.
 */
final class Controller {
    private static final long NS_PER_MS = 1_000_000;
    /** Keep-alive timeouts are rounded up to this. */
    private static final long KEEP_ALIVE_UNIT_MS = 1000;

    private final Subsystem subsystem;
    private final int number;
    private final HostIdentity host;
    private final boolean discovery;
    private final Features features;
    /** By queue; null while not connected. */
    private final QueueHandle[] queues;
    private int configuration;
    private int status;
    private volatile long lastCommandNs;
    private volatile boolean ended;

    Controller(Subsystem subsystem, int number, HostIdentity host, boolean discovery, long keepAliveMs, QueueHandle admin, long nowNs) {
        this.subsystem = subsystem;
        this.number = number;
        this.host = host;
        this.discovery = discovery;
        queues = new QueueHandle[subsystem.settings().ioQueues() + 1];
        queues[0] = admin;
        features = new Features(subsystem.settings().ioQueues(), keepAliveMs);
        lastCommandNs = nowNs;
    }

    int number() {
        return number;
    }

    HostIdentity host() {
        return host;
    }

    /** Whether it lists addresses, and has no I/O queues. */
    boolean isDiscovery() {
        return discovery;
    }

    Subsystem subsystem() {
        return subsystem;
    }

    Features features() {
        return features;
    }

    // ---- queues ----

    /**
     * Adds an I/O queue.
     *
     * @param queue 1..65535
     * @return SUCCESS, or the status of its Connect
     */
    synchronized NvmeStatus add(int queue, QueueHandle handle) {
        if (queue > features.ioQueues()) {
            return NvmeStatus.CONNECT_INVALID_PARAMETERS;
        }
        if (ended || !isReady() || queues[queue] != null) {
            return NvmeStatus.COMMAND_SEQUENCE_ERROR;
        }
        queues[queue] = handle;
        return NvmeStatus.SUCCESS;
    }

    /** Forgets a queue whose connection has ended. The end of the admin queue is that of the controller. */
    void remove(int queue, QueueHandle handle) {
        if (queue == 0) {
            end();
            subsystem.remove(this);
        } else {
            synchronized (this) {
                if (queues[queue] == handle) {
                    queues[queue] = null;
                }
            }
        }
    }

    /** Ends the connections of all queues. */
    void end() {
        endQueues(0);
    }

    private void endQueues(int first) {
        List<QueueHandle> open = new ArrayList<>();
        synchronized (this) {
            ended |= first == 0;
            for (int queue = first; queue < queues.length; queue++) {
                if (queues[queue] != null) {
                    open.add(queues[queue]);
                }
            }
        }
        open.forEach(QueueHandle::end);
    }

    // ---- keep-alive ----

    /** Records that the host sent a command. */
    void onCommand(long nowNs) {
        lastCommandNs = nowNs;
    }

    /**
     * Whether the host was silent for two timeouts. It need not send a Keep Alive in an interval that had another command, so up to two
     * intervals may lie between its commands.
     */
    boolean isExpired(long nowNs) {
        long timeoutMs = features.keepAliveMs();
        if (timeoutMs == 0 || ended) {
            return false;
        }
        long roundedMs = (timeoutMs + KEEP_ALIVE_UNIT_MS - 1) / KEEP_ALIVE_UNIT_MS * KEEP_ALIVE_UNIT_MS;
        return nowNs - lastCommandNs > 2 * roundedMs * NS_PER_MS;
    }

    // ---- properties ----

    /** Whether commands other than those of fabrics are executed. */
    synchronized boolean isReady() {
        return (status & ControllerProperty.READY) != 0;
    }

    synchronized int configuration() {
        return configuration;
    }

    synchronized int status() {
        return status;
    }

    /** Sets the configuration: enables, resets or shuts down. A reset ends the I/O queues. */
    void configure(int value) {
        boolean reset;
        synchronized (this) {
            boolean enabled = (configuration & ControllerProperty.ENABLE) != 0;
            boolean enable = (value & ControllerProperty.ENABLE) != 0;
            configuration = value;
            if (enable && !enabled) {
                status = ControllerProperty.isSupported(value, discovery) ? ControllerProperty.READY : ControllerProperty.FATAL;
                if (status == ControllerProperty.FATAL) {
                    subsystem.counters().count(NvmeCounter.FATAL_CONFIGURATIONS);
                }
            }
            reset = enabled && !enable;
            if (reset) {
                status = 0;
                features.reset();
            }
            boolean shutDown = (value & ControllerProperty.SHUTDOWN) != 0;
            status = status & ~ControllerProperty.SHUT_DOWN | (shutDown ? ControllerProperty.SHUT_DOWN : 0);
        }
        if (reset) {
            endQueues(1);
        }
    }
}
