// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.softrdma.host.inspect.ProcessPublisher;

/**
 * The devices of one type that run in this process, by name: the first context opened starts one, the last one closed stops it. Meanwhile
 * other processes of the user can look at it.
 *
 * @param <R> what runs
 */
public final class RunningDevices<R extends RunningDevices.Running> {
    /** A device at work. */
    public interface Running {
        DevicePort port();

        /** The last context is closed. */
        void stop();
    }

    private final Map<String, R> running = new HashMap<>();
    /** What others are told of the same devices. */
    private final Map<String, DeviceInventory> inventories = new HashMap<>();

    /** What runs under that name, or null. */
    public synchronized R find(String name) {
        return running.get(name);
    }

    /**
     * Opens a context.
     *
     * @param start   what runs, if nothing does yet
     * @param context makes the context; it is given what runs, and whom to tell when it is closed
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
