// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceAgentTest {
    /** Generous: only a broken agent needs it. */
    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final long ENOUGH_NS = 10_000_000_000L;

    /** Work that takes what was posted and parks on a semaphore, as a link parks on its selector. */
    private static final class Work implements DeviceWork {
        final AtomicLong posted = new AtomicLong();
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger awaiting = new AtomicInteger();
        final AtomicLong awaited = new AtomicLong();
        final Semaphore wakeups = new Semaphore(0);
        volatile long taken;
        volatile long rounds;
        volatile long deadlineNs = Long.MAX_VALUE;
        volatile boolean overlapped;
        volatile Thread driver;
        volatile long longestAwaitNs = Long.MAX_VALUE;
        /** Interrupts do not end a wait, as they do not end a call of the C library. */
        volatile boolean deaf;
        /** Time that a timer of what is sent takes, or 0 for none. */
        volatile long timerNs;

        @Override
        public int doWork(long nowNs) {
            overlapped |= inside.incrementAndGet() != 1;
            driver = Thread.currentThread();
            rounds++;
            long now = posted.get();
            int done = (int) (now - taken);
            taken = now;
            if (nowNs - deadlineNs >= 0) {
                deadlineNs = Long.MAX_VALUE;
                done++;
            }
            inside.decrementAndGet();
            return done;
        }

        @Override
        public int transmit(long nowNs) {
            int done = doWork(nowNs);
            if (timerNs > 0) {
                deadlineNs = nowNs + timerNs;
            }
            return done;
        }

        @Override
        public long deadlineNs() {
            return deadlineNs;
        }

        @Override
        public void await(long timeoutNs) {
            awaiting.incrementAndGet();
            awaited.incrementAndGet();
            boolean interrupted = deaf && Thread.interrupted();
            try {
                // Never the agent's own timeout: a lost wakeup must show as a hang, not as a delay.
                long waitNs = Math.max(timeoutNs, longestAwaitNs);
                if (deaf) {
                    interrupted |= awaitDeaf(waitNs);
                } else {
                    wakeups.tryAcquire(waitNs, TimeUnit.NANOSECONDS);
                }
                wakeups.drainPermits();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                awaiting.decrementAndGet();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        /** @return whether the thread was interrupted meanwhile */
        private boolean awaitDeaf(long waitNs) {
            long endNs = Deadline.after(waitNs, System.nanoTime());
            boolean interrupted = false;
            while (!Deadline.isDue(endNs, System.nanoTime())) {
                try {
                    if (wakeups.tryAcquire(Deadline.remainingNs(endNs, System.nanoTime()), TimeUnit.NANOSECONDS)) {
                        return interrupted;
                    }
                } catch (InterruptedException unheard) {
                    interrupted = true;
                }
            }
            return interrupted;
        }

        @Override
        public void wakeup() {
            wakeups.release();
        }
    }

    private final Work work = new Work();
    private final List<DeviceAgent> agents = new ArrayList<>();

    private DeviceAgent start() {
        DeviceAgent agent = new DeviceAgent(work, "test");
        agents.add(agent);
        agent.start();
        return agent;
    }

    @AfterEach
    void stop() {
        agents.forEach(DeviceAgent::close);
    }

    private static void until(BooleanSupplier condition, String what) {
        long endNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - endNs < 0, "not within 20 s: " + what);
            Thread.yield();
        }
    }

    /** {@link Work#await} sleeps until a wakeup and nothing else, so one lost doorbell hangs the test. */
    @Test
    void shouldNeverLoseADoorbell() {
        DeviceAgent agent = start();
        int slept = 0;
        // On a busy machine each turn takes a time slice; then fewer are enough.
        long enoughNs = System.nanoTime() + ENOUGH_NS;
        for (int i = 1; i <= 20_000 && System.nanoTime() - enoughNs < 0; i++) {
            long post = work.posted.incrementAndGet();
            agent.doorbell();
            until(() -> work.taken >= post, "doorbell " + post);
            if (i % 3 == 0) {
                // Aim at the moment it goes to sleep: some posts come before, some after.
                for (int spin = 0; spin < i % 300; spin++) {
                    Thread.onSpinWait();
                }
            } else if (i % 100 == 1) {
                until(() -> work.awaiting.get() == 1, "agent idle");
                slept++;
            }
        }
        assertFalse(work.overlapped);
        assertTrue(slept > 0 && work.awaited.get() >= slept, "the agent did go to sleep in between: " + work.awaited.get());
    }

    @Test
    void shouldNotWakeAnAgentThatIsAwake() {
        DeviceAgent agent = new DeviceAgent(work, null);
        agent.doorbell();
        assertEquals(0, work.wakeups.availablePermits());
    }

    @Test
    void shouldRunOneDriverAtATime() throws InterruptedException {
        DeviceAgent agent = start();
        List<Thread> pollers = new ArrayList<>();
        AtomicLong drives = new AtomicLong();
        for (int i = 0; i < 3; i++) {
            pollers.add(Thread.ofPlatform().start(() -> {
                for (int drive = 0; drive < 20_000; drive++) {
                    work.posted.incrementAndGet();
                    agent.tryDrive();
                    agent.doorbell();
                    drives.incrementAndGet();
                }
            }));
        }
        for (Thread poller : pollers) {
            poller.join(PATIENCE_NS / 1_000_000);
        }
        assertEquals(60_000, drives.get());
        until(() -> work.taken == 60_000, "all posts taken");
        assertFalse(work.overlapped, "two threads were in doWork at once");
    }

    @Test
    void shouldDriveOnTheCallersThread() {
        DeviceAgent agent = start();
        until(() -> work.awaiting.get() == 1, "agent idle");
        work.posted.incrementAndGet();
        agent.tryDrive();
        assertEquals(1, work.taken);
        assertEquals(Thread.currentThread(), work.driver);
    }

    @Test
    void shouldNotWaitForAnotherDriver() throws InterruptedException {
        DeviceAgent agent = start();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread owner = Thread.ofPlatform().start(() -> {
            agent.lock().lock();
            try {
                held.countDown();
                done.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                agent.lock().unlock();
            }
        });
        held.await();
        long before = work.rounds;
        assertTimeoutPreemptively(Duration.ofNanos(PATIENCE_NS), agent::tryDrive);
        assertEquals(before, work.rounds, "nobody drives while the lock is held");
        done.countDown();
        owner.join();
    }

    @Test
    void shouldLeaveADeviceWithoutThreadToItsSimulator() {
        DeviceAgent agent = new DeviceAgent(work, null);
        agent.start();
        work.posted.incrementAndGet();
        agent.tryDrive();
        assertFalse(agent.lead(() -> true, System.nanoTime()));
        assertEquals(0, work.rounds);
        agent.close();
    }

    /** A thread that waits leads: the work is done on it, whoever posts; and the agent takes the device back when it has gone. */
    @Test
    void shouldLetAWaitingThreadLead() {
        DeviceAgent agent = start();
        int posts = 2_000;
        Thread poster = Thread.ofPlatform().start(() -> {
            for (int i = 1; i <= posts; i++) {
                long post = work.posted.incrementAndGet();
                agent.doorbell();
                until(() -> work.taken >= post, "post " + post);
            }
        });
        boolean onThisThread = false;
        while (work.taken < posts) {
            long next = work.taken + 1;
            agent.lead(() -> work.taken >= next, System.nanoTime() + PATIENCE_NS);
            onThisThread |= work.driver == Thread.currentThread();
        }
        assertTrue(onThisThread, "the waiting thread did the work");
        assertTimeoutPreemptively(Duration.ofNanos(PATIENCE_NS), () -> poster.join());
        assertFalse(work.overlapped);
        until(() -> work.awaiting.get() == 1 && work.driver != Thread.currentThread(), "the agent waits for packets again");
    }

    @Test
    void shouldTurnASecondLeaderAway() throws InterruptedException {
        DeviceAgent agent = start();
        CountDownLatch leading = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread leader = Thread.ofPlatform().start(() -> {
            while (!agent.lead(() -> {
                leading.countDown();
                return done.getCount() == 0;
            }, System.nanoTime() + PATIENCE_NS)) {
                Thread.onSpinWait();
            }
        });
        assertTrue(leading.await(PATIENCE_NS, TimeUnit.NANOSECONDS));
        assertFalse(agent.lead(() -> true, System.nanoTime() + PATIENCE_NS));
        done.countDown();
        agent.doorbell();
        leader.join(PATIENCE_NS / 1_000_000);
        assertFalse(leader.isAlive());
    }

    /** The wait has no end but a wakeup, as that of a thread that waits without a limit. */
    @Test
    void shouldStopLeadingWhenTheThreadIsInterrupted() throws InterruptedException {
        DeviceAgent agent = start();
        work.deaf = true;
        Thread leader = Thread.ofPlatform().start(() -> {
            while (!agent.lead(() -> false, Deadline.NEVER)) {
                Thread.onSpinWait();
            }
        });
        until(() -> work.driver == leader && work.awaiting.get() == 1, "the thread leads, and waits for packets");
        leader.interrupt();
        leader.join(PATIENCE_NS / 1_000_000);
        assertFalse(leader.isAlive());
    }

    /** Without a limit, so that it does not wake while nothing happens; a thread that only naps is in another state. */
    @Test
    void shouldHaveTheDevicesThreadSleepWhileAnApplicationLeads() throws InterruptedException {
        DeviceAgent agent = start();
        until(() -> work.awaiting.get() == 1, "agent idle");
        Thread own = work.driver;
        Thread leader = Thread.ofPlatform().start(() -> {
            while (!agent.lead(() -> false, Deadline.NEVER)) {
                Thread.onSpinWait();
            }
        });
        until(() -> own.getState() == Thread.State.WAITING, "the device's thread sleeps");
        assertEquals(leader, work.driver);

        leader.interrupt();
        leader.join(PATIENCE_NS / 1_000_000);
        until(() -> work.driver == own && work.awaiting.get() == 1, "it takes the device back");
    }

    @Test
    void shouldStopLeadingWhenTheTimeIsOver() {
        DeviceAgent agent = start();
        work.longestAwaitNs = 0;
        until(() -> agent.lead(() -> false, System.nanoTime() + 3_000_000), "led and came back");
    }

    /** A point in time so far away that the clock has another sign there. */
    @Test
    void shouldKeepItsDeadlinesWhileSomebodyWaitsForEver() {
        DeviceAgent agent = start();
        work.longestAwaitNs = 0;
        assertTimeoutPreemptively(Duration.ofNanos(PATIENCE_NS), () -> {
            boolean led = false;
            while (!led) {
                long deadlineNs = System.nanoTime() + 3_000_000;
                work.deadlineNs = deadlineNs;
                led = agent.lead(() -> work.deadlineNs != deadlineNs, System.nanoTime() + Long.MAX_VALUE);
            }
        });
    }

    @Test
    void shouldTakeTheDeviceBackFromAPollerThatWentAwayWithoutAWord() {
        DeviceAgent agent = start();
        agent.tryDrive();
        long post = work.posted.incrementAndGet();
        // Wakes the agent if it had parked before; if it sleeps for the poller's sake, it must look by itself when that time is over.
        agent.doorbell();
        until(() -> work.taken >= post, "post " + post);
    }

    /** The agent sleeps as one does for whom there was nothing to do; only a wakeup ends that here. */
    @Test
    void shouldSendWhatAPollerLeftThoughTheAgentWasParked() {
        DeviceAgent agent = start();
        until(() -> work.awaiting.get() == 1, "agent idle");
        long rounds = work.rounds;
        work.posted.incrementAndGet();
        agent.tryDrive();
        until(() -> work.rounds > rounds + 1, "a round that sends");
    }

    /** A timer, or more to send than one turn allows. */
    @Test
    void shouldServeWhatAPollersRoundBroughtThoughTheAgentWasParked() {
        long soonNs = System.nanoTime() + 50_000_000;
        DeviceAgent agent = start();
        until(() -> work.awaiting.get() == 1, "agent idle");
        work.longestAwaitNs = 0;
        work.deadlineNs = soonNs;
        agent.tryDrive();
        until(() -> work.deadlineNs == Long.MAX_VALUE, "timer");
    }

    /** A request that the poster's thread sends at once starts a timer, which the leader must serve though it parked before. */
    @Test
    void shouldServeTheTimerOfWhatWasSentAtOnceThoughTheAgentWasParked() {
        DeviceAgent agent = start();
        until(() -> work.awaiting.get() == 1, "agent idle");
        work.longestAwaitNs = 0;
        work.timerNs = 1_000_000;
        work.posted.incrementAndGet();
        agent.doorbell(true);
        assertEquals(1, work.taken, "sent at once");
        until(() -> work.deadlineNs == Long.MAX_VALUE, "timer");
    }

    @Test
    void shouldServeTimersInTime() {
        work.longestAwaitNs = 0;
        start();
        for (int i = 0; i < 20; i++) {
            until(() -> work.awaiting.get() == 1, "agent idle");
            long rounds = work.rounds;
            work.deadlineNs = System.nanoTime() + 1_000_000;
            work.wakeup();
            until(() -> work.deadlineNs == Long.MAX_VALUE, "timer");
            assertTrue(work.rounds > rounds);
        }
    }

    @Test
    void shouldStopWhereverTheThreadIs() {
        for (int i = 0; i < 200; i++) {
            DeviceAgent agent = start();
            if (i % 2 == 0) {
                until(() -> work.awaiting.get() == 1, "agent idle");
            } else {
                agent.tryDrive();
            }
            assertTimeoutPreemptively(Duration.ofNanos(PATIENCE_NS), agent::close);
            assertEquals(0, work.awaiting.get(), "the thread is gone");
            agent.close();
            agents.remove(agent);
        }
    }

    @Test
    void shouldCloseWithoutEverHavingStarted() {
        assertTimeoutPreemptively(Duration.ofNanos(PATIENCE_NS), () -> new DeviceAgent(work, "unstarted").close());
    }
}
