// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.Arrays;

/**
 * The earliest deadline of many timed things, without allocation. Deadlines that move later (the usual case: every acknowledgement
 * restarts a timer) cost nothing until the old time comes; only those that move earlier are sorted at once.
 */
public final class DeadlineHeap {
    private static final int OUTSIDE = -1;
    private static final int BEING_CALLED = -2;

    private Timed[] heap = new Timed[16];
    private int size;
    private Timed[] called = new Timed[16];

    /** Something with a deadline; an element of at most one heap. */
    public abstract static class Timed {
        private int position = OUTSIDE;
        private long scheduledNs;

        /**
         * When {@link #onTimer} must be called, or {@link Deadline#NEVER}; may change at any time, followed by {@link DeadlineHeap#update}.
         */
        public abstract long deadlineNs();

        public abstract void onTimer(long nowNs);
    }

    /** Calls {@link Timed#onTimer} of one thing that is due, within the guards and bookkeeping of its owner. */
    public interface Caller {
        void call(Timed due, long nowNs);
    }

    /** Takes note of a deadline that may have changed, and enters the timed thing if it is not in the heap yet. */
    public void update(Timed timed) {
        long deadlineNs = timed.deadlineNs();
        if (timed.position == BEING_CALLED) {
            return;
        }
        if (timed.position == OUTSIDE) {
            if (deadlineNs != Deadline.NEVER) {
                timed.scheduledNs = deadlineNs;
                if (size == heap.length) {
                    heap = Arrays.copyOf(heap, 2 * size);
                }
                place(timed, size++);
                up(timed.position);
            }
        } else if (Deadline.isBefore(deadlineNs, timed.scheduledNs)) {
            timed.scheduledNs = deadlineNs;
            up(timed.position);
        }
    }

    public void remove(Timed timed) {
        int at = timed.position;
        timed.position = OUTSIDE;
        if (at < 0) {
            return;
        }
        Timed last = heap[--size];
        heap[size] = null;
        if (last != timed) {
            place(last, at);
            up(at);
            down(last.position);
        }
    }

    /**
     * Calls {@link Timed#onTimer} of everything that is due.
     *
     * @return how many were called, each once
     */
    public int expire(long nowNs) {
        return expire(nowNs, Timed::onTimer);
    }

    /**
     * Has the caller call everything that is due. A timer that is due again at once is called in the next round, so that it cannot hold
     * up the rest.
     *
     * @return how many were called, each once
     */
    public int expire(long nowNs, Caller caller) {
        int count = 0;
        try {
            while (size > 0 && Deadline.isDue(heap[0].scheduledNs, nowNs)) {
                Timed timed = heap[0];
                remove(timed);
                if (!Deadline.isDue(timed.deadlineNs(), nowNs)) {
                    update(timed);
                    continue;
                }
                if (count == called.length) {
                    called = Arrays.copyOf(called, 2 * count);
                }
                called[count++] = timed;
                timed.position = BEING_CALLED;
                caller.call(timed, nowNs);
            }
        } finally {
            for (int i = 0; i < count; i++) {
                Timed timed = called[i];
                called[i] = null;
                // A timer that was removed during the round stays outside.
                if (timed.position == BEING_CALLED) {
                    timed.position = OUTSIDE;
                    update(timed);
                }
            }
        }
        return count;
    }

    /** A time not after the earliest deadline; {@link Deadline#NEVER} if there is none. */
    public long earliestNs() {
        return size == 0 ? Deadline.NEVER : heap[0].scheduledNs;
    }

    private void up(int from) {
        int at = from;
        Timed timed = heap[at];
        while (at > 0 && Deadline.isBefore(timed.scheduledNs, heap[(at - 1) / 2].scheduledNs)) {
            place(heap[(at - 1) / 2], at);
            at = (at - 1) / 2;
        }
        place(timed, at);
    }

    private void down(int from) {
        int at = from;
        Timed timed = heap[at];
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && Deadline.isBefore(heap[child + 1].scheduledNs, heap[child].scheduledNs)) {
                child++;
            }
            if (!Deadline.isBefore(heap[child].scheduledNs, timed.scheduledNs)) {
                break;
            }
            place(heap[child], at);
            at = child;
        }
        place(timed, at);
    }

    private void place(Timed timed, int at) {
        heap[at] = timed;
        timed.position = at;
    }
}
