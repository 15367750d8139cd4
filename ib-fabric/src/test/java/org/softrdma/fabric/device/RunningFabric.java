// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.run.FabricConnection;
import org.softrdma.fabric.run.FabricProcess;
import org.softrdma.fabric.run.ManagerOptions;
import org.softrdma.fabric.run.ManagerProcess;
import org.softrdma.fabric.topology.TopologyReader;
import org.softrdma.rxe.RxeOptions;
import org.softrdma.rxe.SubnetDevice;
import org.softrdma.verbs.Context;

/** A fabric of two switches with an adapter at each, in real time on sockets of this host, and devices at its ports. */
final class RunningFabric implements AutoCloseable {
    private static final String TOPOLOGY = """
        Switch 4 "s1"
        [1] "h1"[1]
        [2] "s2"[1]
        Switch 4 "s2"
        [2] "h2"[1]
        Ca 1 "h1"
        [1] "s1"[1]
        Ca 1 "h2"
        [1] "s2"[2]
        """;
    private static final long PATIENCE_NS = 30_000_000_000L;
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String name = "t" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
    private final FabricProcess process = new FabricProcess(TopologyReader.read(TOPOLOGY), name, new FabricProcess.Ibsim.Local(name),
        new FabricObserver() { });
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    String name() {
        return name;
    }

    /** Opens a device at port 1 of a node. */
    Context open(String node) {
        return keep(device(node).open());
    }

    /** Closes a resource at the end, before those that were kept earlier. */
    <T extends AutoCloseable> T keep(T resource) {
        opened.push(resource);
        return resource;
    }

    SubnetDevice device(String node) {
        return new SubnetDevice(name + node, -1, null, RxeOptions.DEFAULT, new AttachedPort(name, node, 1, List.of()));
    }

    /** Has a subnet manager at h1 sweep once. */
    void manage() {
        manage(Partitions.DEFAULT);
    }

    void manage(Partitions partitions) {
        ManagerOptions options = new ManagerOptions(name, null, "h1", 0, 0, ManagerOptions.DEFAULT_TIMEOUT, partitions);
        try (ManagerProcess manager = new ManagerProcess(options, event -> { })) {
            manager.run(true);
        }
    }

    /** A subnet manager at h1 that runs until it is closed; its subnet administration answers all the time. */
    final class Manager implements AutoCloseable {
        private final ManagerProcess process = new ManagerProcess(new ManagerOptions(name, null, "h1", 0, 0,
            ManagerOptions.DEFAULT_TIMEOUT, Partitions.DEFAULT), event -> { });
        private final Thread running = Thread.ofPlatform().start(() -> process.run(false));
        private boolean closed;

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                process.end();
                try {
                    running.join();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
                process.close();
            }
        }
    }

    /** Starts a subnet manager that runs until this is closed. */
    Manager startManager() {
        return keep(new Manager());
    }

    String execute(String command) {
        return FabricConnection.execute(name, command);
    }

    /** Waits for what the fabric reports to devices a moment later. */
    static void await(String what, BooleanSupplier condition) {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - untilNs < 0, "in vain: " + what);
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        try {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        } finally {
            process.close();
        }
    }
}
