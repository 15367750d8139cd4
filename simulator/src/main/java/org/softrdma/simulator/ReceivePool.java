// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * Receives of equal length that are posted again and again, to a shared receive queue or to a queue pair's own, for whatever message comes.
 * Knows which may complete, and when a shared queue must say that it runs low.
 */
final class ReceivePool {
    /** Work request ids of receives from a pool begin here; those posted for certain messages are negative, and sends have small ones. */
    private static final long FIRST_ID = 1L << 62;
    /** Completions an application that sleeps leaves in narrow queues, at most. */
    private static final int UNSEEN = 8;

    private final SharedReceiveQueue shared;
    private final int slotBytes;
    private final List<List<Slot>> slots = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    /** Posted receives by work request id, oldest first: the index of their slots. */
    private final Map<Long, Integer> posted = new LinkedHashMap<>();
    /** The id each queue pair completed last: it takes them in the order they were posted. */
    private final Map<Endpoint, Long> lastOf = new HashMap<>();
    private final ReceiveRequest request = new ReceiveRequest();
    private final int users;
    /** The queue pair whose own queue this is; null if it is shared. */
    private QueuePair owner;
    private int capacity;
    private long nextId = FIRST_ID;
    /** Receives that never complete, at most: their queue pairs are gone. */
    private int lost;
    /** The limit armed, 0 for none; and how many completions came since, while less than that can have been left. */
    private int limit;
    private int belowLimit;

    /**
     * @param shared   null for a queue pair's own queue: {@link #ownedBy} names it
     * @param users    queue pairs that take receives from here
     * @param capacity receives that can be posted
     */
    ReceivePool(ShadowedMemory memory, SplittableRandom random, SharedReceiveQueue shared, int users, int capacity, int maxSge,
                int slotBytes) {
        this.shared = shared;
        this.users = users;
        this.capacity = capacity;
        this.slotBytes = slotBytes;
        for (int i = 0; i < capacity + users; i++) {
            List<Slot> elements = new ArrayList<>();
            int left = slotBytes;
            for (int element = 1 + random.nextInt(maxSge); element > 0; element--) {
                int bytes = element == 1 ? left : random.nextInt(left + 1);
                elements.add(memory.reserve(bytes, 1));
                left -= bytes;
            }
            slots.add(elements);
            free.add(i);
        }
    }

    /** Whether a completion is one of a receive: after a failure only its id tells. */
    static boolean isReceive(WorkCompletion wc) {
        return wc.wrId() < 0 || wc.wrId() >= FIRST_ID;
    }

    void ownedBy(QueuePair qp) {
        owner = qp;
    }

    boolean isShared() {
        return shared != null;
    }

    SharedReceiveQueue queue() {
        return shared;
    }

    /** Receives that can be posted and under way together. */
    int most() {
        return slots.size();
    }

    /** Bytes each receive has room for. */
    int slotBytes() {
        return slotBytes;
    }

    // ---- the application's deeds ----

    /**
     * Posts a receive if there is room.
     *
     * @return whether it did
     */
    boolean post() {
        if (posted.size() - lost >= capacity || free.isEmpty()) {
            return false;
        }
        int index = free.peek();
        request.begin(nextId);
        for (Slot slot : slots.get(index)) {
            request.element(slot.address(), slot.length(), slot.memory().lkey());
        }
        try {
            if (shared == null) {
                owner.postReceive(request);
            } else {
                shared.postReceive(request);
            }
        } catch (VerbsException refused) {
            // Whether a queue pair that is gone had taken one cannot be known.
            if (refused.errno() == Errno.ENOMEM && posted.size() >= capacity) {
                return false;
            }
            throw refused;
        }
        slots.get(index).forEach(slot -> slot.memory().lend(slot));
        posted.put(nextId++, free.remove());
        return true;
    }

    void postAll() {
        while (post()) {
            continue;
        }
    }

    /** Asks to be told when it runs low, or makes it longer or shorter. */
    void meddle(SplittableRandom random) {
        if (shared == null) {
            return;
        }
        if (random.nextBoolean()) {
            limit = random.nextInt(shared.query().maxWr() + 1);
            belowLimit = 0;
            shared.modifyLimit(limit);
        } else {
            // The posted receives and the armed limit must fit; and all queue pairs may hold one while there is still one for each.
            shared.resize(Math.max(Math.max(posted.size(), limit), 2 * users + random.nextInt(capacity)));
            capacity = Math.min(slots.size() - users, shared.query().maxWr());
        }
    }

    /** A queue pair that takes from here was destroyed, or its completions are lost: it may have had one. */
    void onGone() {
        lost++;
    }

    // ---- what comes of it ----

    /**
     * A receive completed.
     *
     * @return its slots, in order
     */
    List<Slot> finish(Endpoint endpoint, WorkCompletion wc) {
        Integer index = posted.get(wc.wrId());
        check(index != null, "receive was never posted, or completed before", wc);
        if (shared == null) {
            check(posted.keySet().iterator().next() == wc.wrId(), "receive out of order", wc);
        }
        Long last = lastOf.put(endpoint, wc.wrId());
        check(last == null || last < wc.wrId(), "receive out of order, " + last + " came before", wc);
        check(wc.isSuccess() || wc.status() == WcStatus.WR_FLUSH_ERR && endpoint.isDead(), "failed receive", wc);
        posted.remove(wc.wrId());
        free.add(index);
        if (limit > 0 && posted.size() < limit) {
            belowLimit++;
        }
        return slots.get(index);
    }

    /** The application has looked at what {@link #finish} returned. */
    void takeBack(List<Slot> finished) {
        finished.forEach(slot -> slot.memory().takeBack(slot));
    }

    /** The device says that the queue runs low. */
    void onLimit() {
        if (limit == 0) {
            throw new AssertionError("SRQ_LIMIT_REACHED, but no limit is armed");
        }
        if (shared.query().limit() != 0) {
            throw new AssertionError("SRQ_LIMIT_REACHED does not disarm the limit");
        }
        limit = 0;
    }

    /**
     * All events there are have been taken: one that is due must have come. Each queue pair may have taken a receive before arming, and
     * completions may have waited in a queue that nobody looked at.
     */
    void expectLimitTold() {
        if (limit > 0 && belowLimit > users + UNSEEN) {
            throw new AssertionError("no SRQ_LIMIT_REACHED, though " + belowLimit + " receives were taken with less than " + limit
                + " left");
        }
    }

    private static void check(boolean good, String what, WorkCompletion wc) {
        if (!good) {
            throw new AssertionError(what + ": " + wc);
        }
    }

    String status() {
        return (shared == null ? "own" : "shared") + " receives of " + slotBytes + ": " + posted.size() + " of " + capacity + " posted, "
            + (nextId - FIRST_ID) + " in all" + (limit > 0 ? ", limit " + limit : "");
    }
}
