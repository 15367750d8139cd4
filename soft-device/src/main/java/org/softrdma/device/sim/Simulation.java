// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.softrdma.device.SeededRandom;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeviceWork;

/**
 * Runs devices in a {@link VirtualWorld}: runs all devices until none has anything to do, evaluates the caller's condition, then advances
 * the clock to the next event or deadline. The seed decides which device runs first.
 *
 * <p>Every device runs each time the clock stops, whether or not it has input: the condition may have posted work, and a simulation
 * receives no doorbells. A device that reports work without end, or does not handle a deadline that has passed, causes a
 * {@link StalledException}.
 */
public final class Simulation {
    private static final int MAX_ROUNDS_AT_ONE_TIME = 100_000;

    private final VirtualWorld world;
    private final SeededRandom order;
    private final List<DeviceWork> devices = new ArrayList<>();
    private int roundsAtThisTime;

    public Simulation(VirtualWorld world) {
        this.world = world;
        order = new SeededRandom(~world.seed());
    }

    public void add(DeviceWork device) {
        devices.add(device);
    }

    public void remove(DeviceWork device) {
        devices.remove(device);
    }

    public VirtualWorld world() {
        return world;
    }

    /**
     * Runs until {@code condition} holds.
     *
     * @param condition  evaluated whenever nothing is left to do at one instant; may post work, take completions, cause faults
     * @param deadlineNs virtual time at which to give up
     * @return true if the condition holds; if false, the clock is at {@code deadlineNs}
     * @throws StalledException if no event or timer is left, or the number of rounds at one instant exceeds the limit
     */
    public boolean runUntil(BooleanSupplier condition, long deadlineNs) {
        while (true) {
            settle();
            if (condition.getAsBoolean()) {
                return true;
            }
            if (settle()) {
                countRound();
                continue;
            }
            long nextNs = nextNs();
            if (nextNs == Deadline.NEVER) {
                throw stalled("nothing is in flight and no timer runs");
            }
            if (!jump(nextNs, deadlineNs)) {
                return false;
            }
        }
    }

    /**
     * Runs devices until none has anything to do now; if none had, advances the clock to the next event or deadline, and runs again.
     *
     * @param limitNs virtual time beyond which the clock is not advanced, or {@link Deadline#NEVER}
     * @return false if nothing happens before the limit: then the clock is at the limit, or where it was if there is no limit
     * @throws StalledException if the number of rounds at one instant exceeds the limit
     */
    public boolean step(long limitNs) {
        if (settle()) {
            return true;
        }
        long nextNs = nextNs();
        if (nextNs == Deadline.NEVER && limitNs == Deadline.NEVER) {
            return false;
        }
        boolean jumped = jump(nextNs, limitNs);
        settle();
        return jumped;
    }

    /**
     * Runs for a period of virtual time. The absence of events is no error.
     *
     * @param durationNs virtual time to run for
     */
    public void runFor(long durationNs) {
        long untilNs = world.nowNs() + durationNs;
        do {
            settle();
        } while (jump(nextNs(), untilNs));
        settle();
    }

    /**
     * Runs the devices until none has anything to do.
     *
     * @return whether any device did something
     */
    private boolean settle() {
        boolean any = false;
        while (round()) {
            any = true;
            countRound();
        }
        return any;
    }

    private boolean round() {
        int count = devices.size();
        int start = count == 0 ? 0 : order.below(count);
        int done = 0;
        for (int i = 0; i < count; i++) {
            done += devices.get((start + i) % count).doWork(world.nowNs());
        }
        return done > 0;
    }

    /**
     * Advances the clock to the next event or deadline.
     *
     * @return false if that is past the limit; then the clock is at the limit
     */
    private boolean jump(long nextNs, long limitNs) {
        if (Deadline.isBefore(limitNs, nextNs)) {
            world.advanceTo(limitNs);
            roundsAtThisTime = 0;
            return false;
        }
        if (Deadline.isBefore(world.nowNs(), nextNs)) {
            roundsAtThisTime = 0;
        } else {
            countRound();
        }
        world.advanceTo(nextNs);
        return true;
    }

    private void countRound() {
        if (++roundsAtThisTime > MAX_ROUNDS_AT_ONE_TIME) {
            throw stalled("the clock does not advance");
        }
    }

    private long nextNs() {
        long earliestNs = world.nextEventNs();
        for (DeviceWork device : devices) {
            earliestNs = Deadline.earlier(earliestNs, device.deadlineNs());
        }
        return earliestNs;
    }

    private StalledException stalled(String why) {
        StringBuilder text = new StringBuilder(400).append(why).append(": seed ").append(world.seed()).append(", now ")
            .append(world.nowNs()).append(" ns, deadlines [ns]");
        for (DeviceWork device : devices) {
            text.append(' ').append(device.deadlineNs() == Deadline.NEVER ? "never" : Long.toString(device.deadlineNs()));
        }
        return new StalledException(text.append(", ").append(world.describe()).toString());
    }
}
