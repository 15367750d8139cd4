// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.util.ArrayList;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.FrontDoor;

/**
 * The send queues of one device that lie in programs' memory. A queue that was used lately is looked at in every round; all others only
 * after the bell of their context was rung. Receive queues are read when a message comes, and now and then while their queue pair is in
 * ERR: programs post receives without a bell. Called by the device's owner.
 */
public final class RingDoor implements FrontDoor {
    /** How long after its last post a queue is looked at in every round. */
    private static final long WATCH_NS = 1_000_000;
    /** Longest time between two looks at the bells while queues are busy. */
    private static final long BELLS_NS = 50_000;
    /** Time between two looks for receives that were posted to queue pairs in ERR, for which libraries ring no bell. */
    private static final long LATE_RECEIVES_NS = 10_000_000;

    private final BellSource bells;
    /** Queue pairs of a context, by the context's number. */
    private final Int2ObjectHashMap<ArrayList<RingQueuePair>> contexts = new Int2ObjectHashMap<>();
    private final ArrayList<RingQueuePair> watched = new ArrayList<>();
    /** Queue pairs in ERR with receive queues of their own. */
    private final ArrayList<RingQueuePair> broken = new ArrayList<>();
    private long lateReceivesNs;
    private long nowNs;
    private long round;
    private long bellsNs;
    /** Requests posted in this round. */
    private int posted;

    public RingDoor(BellSource bells) {
        this.bells = bells;
    }

    @Override
    public int descriptor() {
        return bells.descriptor();
    }

    /** Returns the number of the device's current round: what is posted in a round is taken in a later one. For the owner. */
    public long round() {
        return round;
    }

    /** Adds a queue pair; with the owner's lock held. */
    public void add(int context, RingQueuePair qp) {
        contexts.computeIfAbsent(context, _ -> new ArrayList<>()).add(qp);
    }

    /** Removes a queue pair that was {@linkplain RingQueuePair#close closed}; with the owner's lock held. */
    public void remove(int context, RingQueuePair qp) {
        ArrayList<RingQueuePair> all = contexts.get(context);
        all.remove(qp);
        if (all.isEmpty()) {
            contexts.remove(context);
        }
    }

    @Override
    public int poll(long ns) {
        nowNs = ns;
        round++;
        posted = 0;
        for (int i = watched.size() - 1; i >= 0; i--) {
            look(i);
        }
        if (posted == 0 || Deadline.isDue(bellsNs, ns)) {
            bellsNs = ns + BELLS_NS;
            bells.report(this);
        }
        if (!broken.isEmpty() && Deadline.isDue(lateReceivesNs, ns)) {
            flushLateReceives();
        }
        return posted;
    }

    @Override
    public long deadlineNs() {
        return broken.isEmpty() ? Deadline.NEVER : lateReceivesNs;
    }

    private void flushLateReceives() {
        lateReceivesNs = nowNs + LATE_RECEIVES_NS;
        for (int i = broken.size() - 1; i >= 0; i--) {
            RingQueuePair qp = broken.get(i);
            if (!qp.flushLateReceives()) {
                qp.receivesWatched = false;
                broken.remove(i);
            }
        }
    }

    private void look(int index) {
        RingQueuePair qp = watched.get(index);
        int more = qp.pollContained();
        posted += more;
        if (more > 0) {
            qp.lastUsedNs = nowNs;
        } else if (qp.isClosed() || nowNs - qp.lastUsedNs > WATCH_NS) {
            qp.watched = false;
            RingQueuePair last = watched.removeLast();
            if (last != qp) {
                watched.set(index, last);
            }
        }
    }

    /**
     * Looks at all queues of a context, because the program has rung: its bell does not say which.
     *
     * @param context number of the context
     */
    public void onBell(int context) {
        ArrayList<RingQueuePair> all = contexts.get(context);
        for (int i = 0; all != null && i < all.size(); i++) {
            RingQueuePair qp = all.get(i);
            watch(qp);
            posted += qp.pollContained();
        }
    }

    /** Looks for receives of a queue pair in ERR from now on, until it leaves that state. */
    void watchReceives(RingQueuePair qp) {
        if (broken.isEmpty()) {
            lateReceivesNs = nowNs + LATE_RECEIVES_NS;
        }
        if (!qp.receivesWatched) {
            qp.receivesWatched = true;
            broken.add(qp);
        }
    }

    /** Looks at a queue pair in every round from now on, until it was not used for a while. */
    void watch(RingQueuePair qp) {
        qp.lastUsedNs = nowNs;
        if (!qp.watched) {
            qp.watched = true;
            watched.add(qp);
        }
    }
}
