// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.util.ArrayDeque;

/**
 * How many request packets (for READs: responses asked for) all queue pairs of a device may have under way together. Each has a window of
 * its own, but a thousand windows are more than a peer's socket buffer holds: what overflows is lost, and sent again. The budget opens
 * with progress and closes on loss, once for each budget full of packets. Queue pairs that find it used up wait in line.
 *
 * <p>Belongs to the device's owner.
 */
public final class FlightBudget {
    public static final int MIN_PACKETS = 256;
    public static final int FIRST_PACKETS = 1024;
    public static final int MAX_PACKETS = 4096;
    private static final int OPENING = 16;

    private final ArrayDeque<RcMachine> line = new ArrayDeque<>();
    private int limit = FIRST_PACKETS;
    private int inFlight;
    private int progress;
    private boolean closedLately;

    /** Packets that may still be sent; 0 or less for none. */
    public int room() {
        return limit - inFlight;
    }

    /** Packets counted as under way. */
    public int inFlight() {
        return inFlight;
    }

    public int limit() {
        return limit;
    }

    /** A queue pair has so many packets more, or fewer, under way. */
    public void move(int packets) {
        inFlight += packets;
        assert inFlight >= 0;
    }

    /** Packets were acknowledged. */
    public void onProgress(int packets) {
        progress += packets;
        if (progress >= limit) {
            progress = 0;
            closedLately = false;
            limit = Math.min(limit + OPENING, MAX_PACKETS);
        }
    }

    /**
     * A queue pair lost packets. One overflow hits many of them: until a budget full of packets has arrived, it counts once. A budget that
     * was not half used has nothing to do with the loss: a link loses a packet now and then.
     */
    public void onLoss() {
        if (!closedLately && 2 * inFlight > limit) {
            closedLately = true;
            progress = 0;
            limit = Math.max(limit / 2, MIN_PACKETS);
        }
    }

    /** Puts a queue pair that would send more in line. */
    void await(RcMachine qp) {
        if (!qp.inLine) {
            qp.inLine = true;
            line.add(qp);
        }
    }

    /** The queue pair that is to send next, if there is room. @return null if nobody waits, or in vain */
    public RcMachine next() {
        if (room() <= 0 || line.isEmpty()) {
            return null;
        }
        RcMachine qp = line.remove();
        qp.inLine = false;
        return qp;
    }

    /** The queue pair is gone. */
    void forget(RcMachine qp) {
        if (qp.inLine) {
            qp.inLine = false;
            line.remove(qp);
        }
    }
}
