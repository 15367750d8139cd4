// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.softrdma.storage.nvme.store.BlockStore;

/**
 * An NVM subsystem: its namespaces, numbered from 1 on, and the controllers of all hosts. Any thread; its monitor guards its controllers
 * too.
 *
 * <p>Each admin connection gets a controller of its own, which ends with the connection.
 */
public final class Subsystem {
    /** Controllers have numbers up to this one. Source: NVMe 1.3 §5.15, CNTLID */
    private static final int LAST_CONTROLLER = 0xffef;

    private final SubsystemSettings settings;
    private final List<Namespace> namespaces;
    private final NvmeCounters counters;
    private final UUID identity;
    /** Null if commands are not traced. */
    private final Consumer<String> trace;
    private final Map<Integer, Controller> controllers = new HashMap<>();
    private int lastController;

    /**
     * Creates a subsystem.
     *
     * @param stores     of the namespaces, in the order of their numbers
     * @param blockShift size of a logical block as a power of two: 9 or 12
     */
    public Subsystem(SubsystemSettings settings, List<? extends BlockStore> stores, int blockShift, NvmeCounters counters) {
        this(settings, stores, blockShift, counters, null);
    }

    /**
     * Creates a subsystem whose commands are traced.
     *
     * @param stores     of the namespaces, in the order of their numbers
     * @param blockShift size of a logical block as a power of two: 9 or 12
     * @param trace      takes a line of text for each command, on any thread; null for none
     */
    public Subsystem(SubsystemSettings settings, List<? extends BlockStore> stores, int blockShift, NvmeCounters counters,
                     Consumer<String> trace) {
        this.trace = trace;
        this.settings = settings;
        List<Namespace> numbered = new ArrayList<>();
        for (BlockStore each : stores) {
            numbered.add(Namespace.of(settings.name(), numbered.size() + 1, each, blockShift));
        }
        namespaces = List.copyOf(numbered);
        this.counters = counters;
        identity = UUID.nameUUIDFromBytes(settings.name().getBytes(StandardCharsets.UTF_8));
    }

    public SubsystemSettings settings() {
        return settings;
    }

    public NvmeCounters counters() {
        return counters;
    }

    /** Takes a line for each command; null for none. */
    Consumer<String> trace() {
        return trace;
    }

    /** Namespaces; the first has the number 1. */
    List<Namespace> namespaces() {
        return namespaces;
    }

    /** @return null if there is no namespace of that number, u32 */
    Namespace namespace(int number) {
        return number >= 1 && number <= namespaces.size() ? namespaces.get(number - 1) : null;
    }

    /** Identity of the subsystem: the same for each start of a target with this name. */
    UUID identity() {
        return identity;
    }

    /** @return null if there are too many */
    synchronized Controller create(HostIdentity host, boolean discovery, long keepAliveMs, QueueHandle admin, long nowNs) {
        if (controllers.size() == settings.controllers()) {
            return null;
        }
        do {
            lastController = lastController == LAST_CONTROLLER ? 1 : lastController + 1;
        } while (controllers.containsKey(lastController));
        Controller controller = new Controller(this, lastController, host, discovery, keepAliveMs, admin, nowNs);
        controllers.put(lastController, controller);
        return controller;
    }

    /** @return null if there is none */
    synchronized Controller find(int number) {
        return controllers.get(number);
    }

    synchronized void remove(Controller controller) {
        controllers.remove(controller.number(), controller);
    }

    /** Whether a controller exists, for a connection request that names one. */
    public boolean hasController(int number) {
        return find(number) != null;
    }

    /** Ends the controllers whose keep-alive timeout has expired. */
    public void expire(long nowNs) {
        List<Controller> all;
        synchronized (this) {
            all = new ArrayList<>(controllers.values());
        }
        for (Controller each : all) {
            if (each.isExpired(nowNs)) {
                counters.count(NvmeCounter.KEEP_ALIVE_TIMEOUTS);
                each.end();
            }
        }
    }

    /** @return number of controllers */
    public synchronized int size() {
        return controllers.size();
    }
}
