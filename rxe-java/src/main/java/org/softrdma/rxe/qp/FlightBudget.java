// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.util.ArrayDeque;

/**
 * Number of request packets (for READs: of requested responses) that all queue pairs of a device may have in flight together. Each has a
 * window of its own, but a thousand windows are more than a peer's socket buffer holds: packets that overflow it are lost, and sent again.
 * The budget opens with progress and closes on loss, once for each budget full of packets. Queue pairs that find it used up wait in line.
 *
 * <p>Used by the device's owner only.
 */
public final class FlightBudget {
    public static final int MIN_PACKETS = 256;
    public static final int FIRST_PACKETS = 1024;
    public static final int MAX_PACKETS = 4096;
    /** Packets that the budget opens by at once. */
    private static final int OPENING = 16;

    private final ArrayDeque<RcMachine> line = new ArrayDeque<>();
    private int limit = FIRST_PACKETS;
    private int inFlight;
    private int progress;
    private boolean closedRecently;

    /** Number of packets that may still be sent; 0 or less for none. */
    public int room() {
        return limit - inFlight;
    }

    /** Number of packets accounted as in flight. */
    public int inFlight() {
        return inFlight;
    }

    public int limit() {
        return limit;
    }

    /**
     * Accounts a change of one queue pair's packets in flight.
     *
     * @param packets more, or negative for fewer
     */
    public void move(int packets) {
        inFlight += packets;
        assert inFlight >= 0;
    }

    /** Opens the budget after acknowledged packets, once for each budget full of them. */
    public void onProgress(int packets) {
        progress += packets;
        if (progress >= limit) {
            progress = 0;
            closedRecently = false;
            limit = Math.min(limit + OPENING, MAX_PACKETS);
        }
    }

    /**
     * Closes the budget because a queue pair lost packets. One overflow affects many queue pairs: it counts once until a budget full of
     * packets has arrived. A budget that was not half used did not cause the loss: a link loses a packet now and then.
     */
    public void onLoss() {
        if (!closedRecently && 2 * inFlight > limit) {
            closedRecently = true;
            progress = 0;
            limit = Math.max(limit / 2, MIN_PACKETS);
        }
    }

    /** Puts a queue pair in line that has more to send than there is room for. */
    void await(RcMachine qp) {
        if (!qp.inLine) {
            qp.inLine = true;
            line.add(qp);
        }
    }

    /**
     * Takes the first queue pair out of the line.
     *
     * @return null if there is no room, or none waits
     */
    public RcMachine next() {
        if (room() <= 0 || line.isEmpty()) {
            return null;
        }
        RcMachine qp = line.remove();
        qp.inLine = false;
        return qp;
    }

    /** Takes a queue pair out of the line that no longer sends. */
    void forget(RcMachine qp) {
        if (qp.inLine) {
            qp.inLine = false;
            line.remove(qp);
        }
    }
}
