// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;

/** The bells that were rung since the owner last drained them: a stack with each at most once. Any thread pushes, the owner takes all. */
public final class Doorbells {
    private final AtomicReference<Bell> top = new AtomicReference<>();

    /** A source of work: a queue pair, a connection. */
    public abstract static class Bell {
        private static final VarHandle RUNG = rung();

        private volatile boolean rung;
        /** The next in the stack. */
        private Bell below;

        /** Called by the owner when the bell was rung, once for any number of rings since the last call. */
        protected abstract void onRung();

        private static VarHandle rung() {
            try {
                return MethodHandles.lookup().findVarHandle(Bell.class, "rung", boolean.class);
            } catch (ReflectiveOperationException impossible) {
                throw new ExceptionInInitializerError(impossible);
            }
        }
    }

    /** Rings a bell. Any thread; does not block. */
    public void ring(Bell bell) {
        // The posted work must be visible before the owner can find the bell silent, or the poster the leader awake.
        VarHandle.fullFence();
        if (Bell.RUNG.compareAndSet(bell, false, true)) {
            Bell second;
            do {
                second = top.get();
                bell.below = second;
            } while (!top.compareAndSet(second, bell));
        }
    }

    /**
     * Calls {@link Bell#onRung} of every bell that was rung.
     *
     * @return how many
     */
    public int drain() {
        if (top.get() == null) {
            return 0;
        }
        int taken = 0;
        Bell bell = top.getAndSet(null);
        while (bell != null) {
            Bell next = bell.below;
            bell.below = null;
            bell.rung = false;
            bell.onRung();
            taken++;
            bell = next;
        }
        return taken;
    }
}
