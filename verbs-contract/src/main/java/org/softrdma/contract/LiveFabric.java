// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.softrdma.verbs.Context;

/** Real devices of this process, with sockets, threads, and the time of the clock. They run from the first test of a class to its last. */
public abstract class LiveFabric implements ContractFabric {
    /** Long enough for a busy machine, which may pause for seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Contexts that keep the devices running between tests; tests open their own contexts. */
    private final List<Context> running = new ArrayList<>();

    /**
     * Opens the devices.
     *
     * @param start opens a device by its number, each as if on a host of its own
     */
    protected LiveFabric(IntFunction<Context> start) {
        for (int device = 0; device < DEVICES; device++) {
            running.add(start.apply(device));
        }
    }

    /** Returns the time limit of {@link #await}. */
    protected Duration patience() {
        return PATIENCE;
    }

    /** Returns the context that keeps a device running. */
    protected final Context running(int device) {
        return running.get(device);
    }

    @Override
    public final Context open(int device) {
        return running(device).device().open();
    }

    @Override
    public final boolean await(BooleanSupplier done) {
        long untilNs = System.nanoTime() + patience().toNanos();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - untilNs >= 0) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }

    /** Keeps the devices for the next test; each test closes its own objects. */
    @Override
    public void close() {
    }

    /** Closes the devices after the last test. */
    public final void stop() {
        running.forEach(Context::close);
    }
}
