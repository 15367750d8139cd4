// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;

/**
 * The direction from the peer: a ring of memory that the peer writes. It is granted in halves: the first half with the connection, and
 * the next one whenever half of the ring holds neither unread nor granted bytes. A hostile peer can overwrite any byte of the ring at any
 * time, also unread ones. That damages only its own stream, and it cannot make this end read beyond the grant.
 */
final class Inbound {
    private final ByteBuffer ring;
    private final int half;
    private final int receives;
    /** Bytes since the start of the stream. Invariant: read ≤ received ≤ granted ≤ read + ring size. */
    private long read;
    private long received;
    private long granted;
    /** Received messages that took a credit. */
    private long messages;
    /** Value of {@link #messages} that the peer's credits permit. */
    private long credits;
    /** Value of {@link #messages} at which new credits are sent. */
    private long renewAt;
    private RemoteBuffer targets;
    private long nextTarget;

    /** @param receives number of posted receives */
    Inbound(ByteBuffer ring, int receives) {
        this.ring = ring;
        half = ring.capacity() / 2;
        this.receives = receives;
        granted = half;
        credits = receives;
        renewAt = receives / 2;
    }

    void begin(ConnectionData peer) {
        targets = peer.targets();
        nextTarget = targets.length() == 1 ? 0 : 1;
    }

    /** Counts a received message that takes a credit. */
    void onMessage() throws StreamException {
        if (++messages > credits) {
            throw StreamException.of(Violation.MESSAGES_BEYOND_CREDITS, messages + ", the last credit was for " + credits);
        }
    }

    void onData(int bytes) throws StreamException {
        if (bytes > granted - received) {
            throw StreamException.of(Violation.DATA_BEYOND_GRANT, bytes + " bytes, " + (granted - received) + " were left");
        }
        received += bytes;
    }

    boolean hasData() {
        return received != read;
    }

    /** @return number of bytes read, 0 for none */
    int read(ByteBuffer into) {
        int bytes = (int) Math.min(received - read, into.remaining());
        int at = (int) (read % ring.capacity());
        int untilEnd = Math.min(bytes, ring.capacity() - at);
        into.put(into.position(), ring, at, untilEnd);
        into.put(into.position() + untilEnd, ring, 0, bytes - untilEnd);
        into.position(into.position() + bytes);
        read += bytes;
        return bytes;
    }

    /** @return whether free memory or new credits must be announced to the peer */
    boolean isGrantDue() {
        return isHalfFree() || messages >= renewAt;
    }

    private boolean isHalfFree() {
        return granted - read <= half;
    }

    /**
     * Sends new credits to the peer, together with a half of the ring if one is free.
     *
     * @return whether a half was granted
     */
    boolean grant(StreamPort port) {
        credits = messages + receives;
        renewAt = messages + receives / 2;
        int message = Message.of(Message.CREDITS, (int) (credits & 0xffff));
        if (!isHalfFree()) {
            port.send(message);
            return false;
        }
        int offset = (int) (granted % ring.capacity());
        granted += half;
        long target = targets.address() + nextTarget * RemoteBuffer.BYTES;
        nextTarget = (nextTarget + 1) % targets.length();
        port.grant(offset, half, target, targets.key(), message);
        return true;
    }
}
