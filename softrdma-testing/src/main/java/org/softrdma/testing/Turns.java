// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.VirtualTime;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.StalledException;

/**
 * Threads of a test on virtual time. One of them runs at a time; one that waits for a device passes its turn to the next, in the order in
 * which they were started. When each has had its turn, the devices work and time passes. So a run depends on the seed only, whatever the
 * machine does, and programs with blocking calls need no change.
 */
final class Turns implements VirtualTime {
    /** Empty polls in a row while nothing is in flight and no timer runs, after which the run is given up. */
    private static final int MOST_STALLED_ROUNDS = 10_000;
    /** Real time for which one thread may keep its turn: it is blocked by something that is not a device. */
    private static final long PATIENCE_SECONDS = 60;
    private static final String POLLING = "poll_cq";

    private final Simulation simulation;
    private final List<Seat> ring = new CopyOnWriteArrayList<>();
    /** The fabric's clock runs on this thread, or a condition is evaluated on it: polls let no time pass. */
    private boolean busy;
    private int stalledRounds;
    private volatile Seat running;

    /** A thread of the test. */
    final class Seat {
        private final String name;
        private final Thread thread;
        private final Semaphore turn = new Semaphore(0);
        private String verb = "";
        private long untilNs = Deadline.NEVER;
        private boolean cancelled;
        /** Thrown to the thread when its turn comes. */
        private RuntimeException failure;
        /** End of the body; null if it returned. */
        private Throwable thrown;
        private boolean began;
        private boolean ended;

        private Seat(String name, Thread thread) {
            this.name = name;
            this.thread = thread;
        }

        boolean hasBegun() {
            return began;
        }

        boolean hasEnded() {
            return ended;
        }

        Throwable thrown() {
            return thrown;
        }

        private String waiting() {
            return name + " in " + verb + (untilNs == Deadline.NEVER ? "" : " until " + untilNs + " ns");
        }
    }

    /** Ends a thread whose fabric is closed. */
    private static final class Cancelled extends Error {
        private static final long serialVersionUID = 1L;

        Cancelled() {
            super("the fabric was closed", null, false, false);
        }
    }

    /** Begins with the calling thread, which has the first turn. */
    Turns(Simulation simulation) {
        this.simulation = simulation;
        running = new Seat("the test", Thread.currentThread());
        ring.add(running);
    }

    // ---- threads ----

    /** Starts a thread, which has its first turn when the caller waits. */
    Seat start(String name, Fabric.Body body) {
        requireTurn("start");
        Seat[] seat = new Seat[1];
        Thread thread = Thread.ofPlatform().daemon().name("softrdma-test-" + name).unstarted(() -> runBody(seat[0], body));
        seat[0] = new Seat(name, thread);
        ring.add(seat[0]);
        thread.start();
        return seat[0];
    }

    private void runBody(Seat seat, Fabric.Body body) {
        seat.turn.acquireUninterruptibly();
        try {
            if (!seat.cancelled) {
                seat.began = true;
                body.run();
            }
        } catch (Cancelled closed) {
            assert seat.cancelled;
        } catch (Throwable failed) {
            seat.thrown = failed;
            if (!seat.cancelled) {
                ring.getFirst().failure = new TaskFailedException(seat.name, failed);
            }
        }
        seat.ended = true;
        ring.remove(seat);
        // The first thread finds the failure, if there is one.
        give(ring.getFirst());
    }

    /** Waits, letting time pass, until a thread has ended. */
    void join(Seat seat) {
        while (!seat.ended) {
            pause("join of " + seat.name, Deadline.NEVER);
        }
    }

    /** Ends all threads but the first, which calls this. */
    void close() {
        Seat first = ring.getFirst();
        while (ring.size() > 1) {
            Seat last = ring.getLast();
            last.cancelled = true;
            give(last);
            first.turn.acquireUninterruptibly();
        }
        first.failure = null;
    }

    private Seat requireTurn(String verb) {
        Thread caller = Thread.currentThread();
        for (Seat each : ring) {
            if (each.thread == caller) {
                return each;
            }
        }
        throw new IllegalStateException(verb + " by thread " + caller.getName() + ", which does not belong to this simulated fabric. Start "
            + "threads with Fabric.start, so that the run depends on the seed only; or use a fabric of sockets");
    }

    private void give(Seat seat) {
        running = seat;
        seat.turn.release();
    }

    // ---- time ----

    @Override
    public long nowNs() {
        return simulation.world().nowNs();
    }

    @Override
    public void onEmptyPoll() {
        if (!busy) {
            pause(POLLING, Deadline.NEVER);
        }
    }

    @Override
    public void pause(String verb, long untilNs) {
        Seat mine = requireTurn(verb);
        if (busy) {
            throw new IllegalStateException(verb + " would wait within a condition of runUntil; conditions may poll only");
        }
        if (mine.cancelled) {
            throw new Cancelled();
        }
        mine.verb = verb;
        mine.untilNs = untilNs;
        int next = ring.indexOf(mine) + 1;
        if (next < ring.size()) {
            give(ring.get(next));
            await(mine);
        } else {
            letTimePass();
            if (ring.getFirst() != mine) {
                give(ring.getFirst());
                await(mine);
            }
        }
        if (mine.cancelled) {
            throw new Cancelled();
        }
        RuntimeException failure = mine.failure;
        mine.failure = null;
        if (failure != null) {
            throw failure;
        }
    }

    private void await(Seat mine) {
        try {
            while (!mine.turn.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                Seat holder = running;
                if (mine == ring.getFirst() && holder != mine) {
                    throw new IllegalStateException("thread " + holder.name + " has not waited for a device in " + PATIENCE_SECONDS
                        + " s of real time, so no other thread of the fabric can run: " + List.of(holder.thread.getStackTrace()));
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while other threads of the fabric had their turns", interrupted);
        }
    }

    /**
     * Lets devices work, or time pass.
     *
     * @return false if nothing will ever happen
     */
    boolean step() {
        Seat mine = requireTurn("step");
        if (ring.size() > 1) {
            pause("step", Deadline.NEVER);
            return true;
        }
        mine.verb = "step";
        busy = true;
        try {
            return simulation.step(Deadline.NEVER);
        } finally {
            busy = false;
        }
    }

    private void letTimePass() {
        long limitNs = Deadline.NEVER;
        boolean polling = false;
        for (Seat each : ring) {
            limitNs = Deadline.earlier(limitNs, each.untilNs);
            polling |= each.verb.equals(POLLING);
        }
        busy = true;
        try {
            if (simulation.step(limitNs) || limitNs != Deadline.NEVER) {
                stalledRounds = 0;
            } else if (!polling || ++stalledRounds > MOST_STALLED_ROUNDS) {
                stalledRounds = 0;
                ring.getFirst().failure = stalled();
            }
        } catch (StalledException noProgress) {
            ring.getFirst().failure = noProgress;
        } finally {
            busy = false;
        }
    }

    private IllegalStateException stalled() {
        return new IllegalStateException("nothing will ever happen: nothing is in flight, no timer runs, and these wait: "
            + String.join("; ", ring.stream().map(Seat::waiting).toList()) + " (virtual time " + nowNs() + " ns)");
    }

    /** Lets time pass until a condition holds; false if it does not at {@code deadlineNs}. */
    boolean runUntil(String verb, BooleanSupplier condition, long deadlineNs) {
        requireTurn(verb);
        while (!holds(condition)) {
            if (Deadline.isDue(deadlineNs, nowNs())) {
                return false;
            }
            pause(verb, deadlineNs);
        }
        return true;
    }

    private boolean holds(BooleanSupplier condition) {
        boolean nested = busy;
        busy = true;
        try {
            return condition.getAsBoolean();
        } finally {
            busy = nested;
        }
    }
}
