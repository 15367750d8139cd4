// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.wire.roce.Psn;

/**
 * Number of request packets (for READs: of requested responses) that one RC queue pair may have in flight: opens with progress, closes on
 * loss, and accounts what is in flight to the device's {@link FlightBudget}. {@link LossRecovery} reports progress and losses, the
 * {@link Requester} sends as much as fits.
 */
final class SendWindow {
    static final int MAX_PACKETS = 512;
    static final int MIN_PACKETS = 8;
    static final int FIRST_PACKETS = 128;
    /** Packets that the window opens by at once. */
    private static final int OPENING = 8;
    /** Acknowledged packets for each opening below the window before the last loss: an eighth of it in a round trip. */
    private static final int REOPEN_PACKETS = 64;
    /** Acknowledgements requested inside a long message in each window full of packets. */
    private static final int ACK_REQUESTS_PER_WINDOW = 4;

    private final SendState state;
    private final FlightBudget budget;
    private int packets = FIRST_PACKETS;
    /** Packets acknowledged since the window changed last. */
    private int goodPackets;
    /** The window before the last loss: it reopens quickly up to here. */
    private int safePackets = FIRST_PACKETS;
    /** Losses of packets before this PSN are part of one that has closed the window already. */
    private int recoveryEnd;
    /** Packets accounted to the budget. */
    private int accounted;

    /** @param budget shared by all queue pairs of the device */
    SendWindow(SendState state, FlightBudget budget) {
        this.state = state;
        this.budget = budget;
    }

    /** Starts over; {@link SendState} was reset before. */
    void reset() {
        packets = FIRST_PACKETS;
        safePackets = FIRST_PACKETS;
        goodPackets = 0;
        recoveryEnd = state.unacked;
    }

    /** Current size, packets. */
    int packets() {
        return packets;
    }

    boolean isFull() {
        return state.packetsInFlight() >= packets;
    }

    /**
     * Whether a packet inside a message should request an acknowledgement.
     *
     * @param packet its index in the message, from 0
     */
    boolean needsAcknowledge(int packet) {
        return packet % (packets / ACK_REQUESTS_PER_WINDOW) == 1 || state.packetsInFlight() == packets - 1;
    }

    /**
     * Opens the window after {@code acknowledged} packets were acknowledged: by 8 for each window full of them, or for each
     * {@value #REOPEN_PACKETS} up to where it was before the last loss.
     */
    void onProgress(int acknowledged) {
        budget.onProgress(acknowledged);
        goodPackets += acknowledged;
        int enough = packets < safePackets ? REOPEN_PACKETS : packets;
        if (goodPackets >= enough) {
            packets = Math.min(packets + OPENING * (goodPackets / enough), MAX_PACKETS);
            goodPackets %= enough;
        }
        if (Psn.compare(state.unacked, recoveryEnd) > 0) {
            recoveryEnd = state.unacked;
        }
    }

    /**
     * Closes the window by a quarter because the peer reported a lost packet: once until everything sent by now is acknowledged. Links
     * lose a packet now and then without being congested, so there is no reason for more.
     */
    void onGap() {
        if (Psn.compare(state.unacked, recoveryEnd) >= 0) {
            recoveryEnd = state.sentEnd;
            safePackets = packets;
            packets = Math.max(packets - packets / 4, MIN_PACKETS);
            goodPackets = 0;
            budget.onLoss();
        }
    }

    /** Closes the window by half because the ACK timer expired: nothing is getting through. */
    void onTimeout() {
        budget.onLoss();
        recoveryEnd = state.sentEnd;
        packets = Math.max(packets / 2, MIN_PACKETS);
        safePackets = packets;
        goodPackets = 0;
    }

    // ---- the device's budget ----

    /** Packets that the device's budget has left; 0 or less for none. */
    int room() {
        return budget.room();
    }

    /** Accounts what is in flight now; a READ counts for no more than a window, however many responses it requests. */
    void account() {
        accountAs(Math.min(state.packetsInFlight(), MAX_PACKETS));
    }

    /** Accounts nothing: the queue pair no longer sends. */
    void release() {
        accountAs(0);
    }

    private void accountAs(int now) {
        budget.move(now - accounted);
        accounted = now;
    }
}
