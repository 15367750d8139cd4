// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.softrdma.host.inspect.ProcessPublisher;

/**
 * The devices of one type that run in this process, by name. Opening the first context starts a device, closing the last one stops it.
 * While a device runs, other processes of the same user can inspect it.
 *
 * @param <R> type of the running devices
 */
public final class RunningDevices<R extends RunningDevices.Running> {
    /** A running device. */
    public interface Running {
        DevicePort port();

        /** Stops the device. Called after its last context was closed. */
        void stop();
    }

    private final Map<String, R> running = new HashMap<>();
    /** The same devices as published to other processes. */
    private final Map<String, DeviceInventory> inventories = new HashMap<>();

    /**
     * Finds a running device by name.
     *
     * @return null if no such device runs
     */
    public synchronized R find(String name) {
        return running.get(name);
    }

    /**
     * Opens a context.
     *
     * @param start   starts the device; called only if it does not run yet
     * @param context makes the context from the running device and the callback to call when the context is closed
     * @return the new context
     */
    public synchronized <C extends SoftContext> C open(String name, Supplier<R> start, BiFunction<R, Consumer<SoftContext>, C> context) {
        R device = running.get(name);
        if (device == null) {
            device = start.get();
            running.put(name, device);
            publish(name, device);
        }
        R opened = device;
        C made = context.apply(opened, closed -> close(name, opened, closed));
        opened.port().enter(made);
        return made;
    }

    private void publish(String name, R device) {
        DeviceInventory inventory = new DeviceInventory(name, device.port().contexts());
        inventories.put(name, inventory);
        ProcessPublisher.ofThisProcess().add(inventory);
    }

    private synchronized void close(String name, R device, SoftContext context) {
        if (device.port().leave(context)) {
            running.remove(name);
            ProcessPublisher.ofThisProcess().remove(inventories.remove(name));
            device.stop();
        }
    }
}
