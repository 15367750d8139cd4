// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

/**
 * Places of the send queue. Work requests complete in the order they were posted, so the completion of one frees the places of those
 * before it that report none. At least one in {@link #LONGEST_RUN} reports.
 */
final class SendQueue {
    /** Work requests in a row that report no completion. */
    static final int LONGEST_RUN = 32;

    private int free;
    /** Work requests since the last one that reports its completion. */
    private int run;

    /** @param places that the queue has, more than {@link #LONGEST_RUN} */
    SendQueue(int places) {
        free = places;
    }

    boolean isFull() {
        return free == 0;
    }

    boolean hasRoom(int workRequests) {
        return free >= workRequests;
    }

    /** Empties the queue: the connection is a new one. */
    void reset(int places) {
        free = places;
        run = 0;
    }

    /**
     * Takes a place for a work request that reports no completion, unless it is the last of a run.
     *
     * @return whether it must report
     */
    boolean take() {
        free--;
        run++;
        return run == LONGEST_RUN || free == 0;
    }

    /**
     * Names a work request that reports its completion; {@link #take} was called for it.
     *
     * @return its identifier
     */
    long reporting(int kind, int index) {
        int places = run;
        run = 0;
        return WorkId.of(kind, places, index);
    }

    /** Frees places on a completion. */
    void complete(long id) {
        free += WorkId.places(id);
    }
}
