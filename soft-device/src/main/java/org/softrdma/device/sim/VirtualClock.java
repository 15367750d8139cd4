// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.sim;

import org.softrdma.device.agent.Deadline;

/** A virtual clock without events of its own. */
public final class VirtualClock implements VirtualWorld {
    private final long seed;
    private long nowNs;

    public VirtualClock(long seed) {
        this.seed = seed;
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public long nextEventNs() {
        return Deadline.NEVER;
    }

    @Override
    public void advanceTo(long timeNs) {
        if (Deadline.isBefore(timeNs, nowNs)) {
            throw new IllegalArgumentException("the clock is at " + nowNs + " ns and cannot go back to " + timeNs);
        }
        nowNs = timeNs;
    }

    @Override
    public String describe() {
        return "nothing but the clock";
    }
}
