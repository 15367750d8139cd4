// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;

/**
 * The direction to the peer: bytes are copied into a ring, where they stay until their work request completes, and are written to the
 * peer's memory in transfers. A transfer needs room in the ring, a work request, a credit and a target.
 */
final class Outbound {
    /** Less free room than this counts as none, for otherwise transfers would become ever smaller. */
    static final int LOW_WATER = 2048;
    /** Transfers of one call grow from this size to {@link #MAX_TRANSFER}: the first bytes travel while the last ones are copied. */
    private static final int FIRST_TRANSFER = 2048;
    private static final int MAX_TRANSFER = 65536;

    private final ByteBuffer ring;
    private final TargetList targets;
    private final Signalling signalling;
    private final int requests;
    private int head;
    private int freeBytes;
    private int freeRequests;
    /** Sent messages that took a credit, modulo 2^16. */
    private int messages;
    /** Value of {@link #messages} that the peer's credits permit, modulo 2^16. */
    private int limit;
    private int peersReceives;

    /** @param requests maximum number of outstanding work requests of transfers */
    Outbound(ByteBuffer ring, TargetList targets, Signalling signalling, int requests) {
        this.ring = ring;
        this.targets = targets;
        this.signalling = signalling;
        this.requests = requests;
        freeBytes = ring.capacity();
        freeRequests = requests;
    }

    void begin(ConnectionData peer) {
        targets.begin(peer.buffer());
        peersReceives = peer.credits();
        limit = peersReceives;
    }

    boolean canSend() {
        return freeRequests >= signalling.requests() && freeBytes >= LOW_WATER && messages != limit && targets.left() != 0;
    }

    /**
     * Sends as much as is possible now.
     *
     * @return bytes sent
     */
    int send(ByteBuffer from, StreamPort port) {
        int total = 0;
        int wanted = FIRST_TRANSFER;
        while (from.hasRemaining() && canSend()) {
            int bytes = (int) Math.min(Math.min(wanted, from.remaining()), Math.min(freeBytes, targets.left()));
            transfer(from, bytes, port);
            total += bytes;
            wanted = Math.min(2 * wanted, MAX_TRANSFER);
        }
        return total;
    }

    private void transfer(ByteBuffer from, int bytes, StreamPort port) {
        int offset = head;
        int untilEnd = Math.min(bytes, ring.capacity() - head);
        ring.put(head, from, from.position(), untilEnd);
        ring.put(0, from, from.position() + untilEnd, bytes - untilEnd);
        from.position(from.position() + bytes);
        head = (head + bytes) % ring.capacity();
        freeBytes -= bytes;
        freeRequests -= signalling.requests();
        messages = messages + 1 & 0xffff;
        long address = targets.address();
        targets.advance(bytes);
        port.write(offset, bytes, address, targets.key(), Message.of(Message.DATA, bytes));
    }

    /**
     * Completes one work request of a transfer.
     *
     * @param bytes that leave the ring; 0 for the SEND that follows a transfer
     */
    void onSent(int bytes) {
        freeBytes += bytes;
        freeRequests++;
    }

    /** @param newLimit number of the last message permitted, modulo 2^16 */
    void onCredits(int newLimit) throws StreamException {
        int open = newLimit - messages & 0xffff;
        if (open > peersReceives) {
            throw StreamException.of(Violation.CREDITS_BEYOND_RECEIVES, open + " of " + peersReceives);
        }
        limit = newLimit;
    }

    /** @return whether no work request of a transfer is outstanding */
    boolean isIdle() {
        return freeRequests == requests;
    }
}
