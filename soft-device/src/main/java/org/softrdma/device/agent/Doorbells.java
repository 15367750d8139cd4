// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Whatever asks for the owner's attention: a stack on which each stands at most once. Any thread pushes, the owner takes all. */
public final class Doorbells {
    private final AtomicReference<Bell> top = new AtomicReference<>();

    /** One of those that may ask. */
    public abstract static class Bell {
        private final AtomicBoolean rung = new AtomicBoolean();
        /** The one below in the stack. */
        private Bell below;

        /** It was rung since the last time; the owner's side. */
        protected abstract void answer();
    }

    /** Any thread; does not block. */
    public void ring(Bell bell) {
        // What was posted must be visible before the owner can find the bell silent, or the agent not parked.
        VarHandle.fullFence();
        if (bell.rung.compareAndSet(false, true)) {
            Bell second;
            do {
                second = top.get();
                bell.below = second;
            } while (!top.compareAndSet(second, bell));
        }
    }

    /** Answers all that were rung. @return how many */
    public int answerAll() {
        if (top.get() == null) {
            return 0;
        }
        int taken = 0;
        Bell bell = top.getAndSet(null);
        while (bell != null) {
            Bell next = bell.below;
            bell.below = null;
            bell.rung.set(false);
            bell.answer();
            taken++;
            bell = next;
        }
        return taken;
    }
}
