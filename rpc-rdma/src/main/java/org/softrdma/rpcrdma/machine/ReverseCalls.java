// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

/**
 * Calls of the server to the client: without chunks, on the same queue pair, with credits of their own. The first call waits for its reply
 * before others are sent, as the client has not granted more than one credit by then.
 *
 * <p>Source: RFC 8167 §4, §5.
 */
final class ReverseCalls {
    /** State of a send buffer. A buffer is free again when its SEND has completed and its reply has arrived. */
    private static final int FREE = 0;
    private static final int TAKEN = 1;
    private static final int QUEUED = 2;
    private static final int UNDER_WAY = 3;

    /** Number of the first send buffer of reverse calls. */
    private final int first;
    private final int[] state;
    private final int[] xids;
    private final int[] bytes;
    /** The SEND has not completed yet. */
    private final boolean[] sending;
    private final boolean[] abandoned;
    private final IntQueue queued;
    private int outstanding;
    private int credits = 1;

    /**
     * @param count calls under way
     * @param first number of their first send buffer
     */
    ReverseCalls(int count, int first) {
        this.first = first;
        state = new int[count];
        xids = new int[count];
        bytes = new int[count];
        sending = new boolean[count];
        abandoned = new boolean[count];
        queued = new IntQueue(count);
    }

    /** @return number of a send buffer, or -1 */
    int take() {
        for (int i = 0; i < state.length; i++) {
            if (state[i] == FREE && !sending[i]) {
                state[i] = TAKEN;
                abandoned[i] = false;
                return first + i;
            }
        }
        return -1;
    }

    void send(int buffer, int xid, int length) {
        int i = buffer - first;
        state[i] = QUEUED;
        xids[i] = xid;
        bytes[i] = length;
        queued.add(i);
    }

    void transmit(ResponderPort port, SendQueue sends) {
        while (!queued.isEmpty() && outstanding < credits && !sends.isFull()) {
            int i = queued.remove();
            state[i] = UNDER_WAY;
            sending[i] = true;
            outstanding++;
            sends.take();
            port.postSend(sends.reporting(WorkId.REVERSE, i), first + i, bytes[i], 0);
        }
    }

    void onSent(int i) {
        sending[i] = false;
    }

    /**
     * Takes a reply.
     *
     * @param granted credits of its header; 0 means 1
     * @return whether its call was awaited
     */
    boolean onReply(int xid, int granted) {
        for (int i = 0; i < state.length; i++) {
            if (state[i] == UNDER_WAY && xids[i] == xid) {
                state[i] = FREE;
                outstanding--;
                credits = Math.clamp(Integer.toUnsignedLong(granted), 1, state.length);
                return !abandoned[i];
            }
        }
        return false;
    }

    void abandon(int xid) {
        for (int i = 0; i < state.length; i++) {
            if (state[i] != FREE && xids[i] == xid) {
                abandoned[i] = true;
            }
        }
    }
}
