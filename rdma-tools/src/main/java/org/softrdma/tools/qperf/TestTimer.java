// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a test when its time is over, or when the peer has failed or disconnected. The measuring thread polls {@link #isFinished}; a call in
 * which it still blocks is interrupted by {@link #onStuck} a moment later. Reads the {@link CpuTimes} at the start and at the end of the
 * test.
 */
final class TestTimer {
    private static final long STUCK_MS = 10;
    /** A time longer than any test. */
    private static final long FOR_EVER_NS = TimeUnit.DAYS.toNanos(365 * 100);

    private final ControlConnection control;
    private final Statistics statistics;
    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean finished;
    private Thread watcher;
    private RuntimeException peersFailure;
    private Runnable getOut = () -> { };

    TestTimer(ControlConnection control, Statistics statistics) {
        this.control = control;
        this.statistics = statistics;
    }

    /** Action that interrupts a call of the measuring thread that outlasts the test. */
    void onStuck(Runnable action) {
        getOut = action;
    }

    /**
     * The test begins.
     *
     * @param seconds u32; 0: it ends otherwise
     */
    void start(int seconds) {
        CpuTimes.read(statistics.begin);
        long untilNs = System.nanoTime() + (seconds == 0 ? FOR_EVER_NS : TimeUnit.SECONDS.toNanos(Integer.toUnsignedLong(seconds)));
        watcher = Thread.ofPlatform().daemon().name("qperf-timer").start(() -> watch(untilNs));
    }

    private void watch(long untilNs) {
        try {
            control.watch(untilNs, () -> finished);
        } catch (PeerFailure | QPerfFailure failed) {
            peersFailure = failed;
        }
        finish();
        try {
            if (!stopped.await(STUCK_MS, TimeUnit.MILLISECONDS)) {
                getOut.run();
            }
        } catch (InterruptedException impossible) {
            throw new AssertionError("nobody knows this thread", impossible);
        }
    }

    boolean isFinished() {
        return finished;
    }

    /** The test is over: only what was counted until now counts. */
    synchronized void finish() {
        if (!finished) {
            CpuTimes.read(statistics.end);
            finished = true;
            over.countDown();
        }
    }

    /**
     * The test is over, and the control connection is the caller's again.
     *
     * @throws RuntimeException what the peer failed with meanwhile
     */
    void stop() {
        halt();
        if (peersFailure != null) {
            throw peersFailure;
        }
    }

    /** As {@link #stop}, for those who know how the test ended. */
    void halt() {
        finish();
        stopped.countDown();
        if (watcher == null) {
            return;
        }
        control.wakeUp();
        boolean interrupted = false;
        while (watcher.isAlive()) {
            try {
                watcher.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    void awaitFinish() {
        boolean interrupted = false;
        while (!finished) {
            try {
                over.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
