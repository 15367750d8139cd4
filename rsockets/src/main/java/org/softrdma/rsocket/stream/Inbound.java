// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;

/**
 * The direction from the peer: a ring of memory that the peer writes. It is granted by halves: one is the peer's from the beginning, and
 * the next whenever half the ring has neither bytes to be read nor a grant. What the peer may touch it may touch at any time, unread bytes
 * included; whoever does harms its own stream only, and it cannot make us read past what was granted.
 */
final class Inbound {
    private final ByteBuffer ring;
    private final int half;
    private final int receives;
    /** Bytes since the beginning. Always: read ≤ received ≤ granted ≤ read + the ring's size. */
    private long read;
    private long received;
    private long granted;
    /** Messages that took a credit, how many may have come, and at how many we say that there may be more. */
    private long messages;
    private long credits;
    private long tellAt;
    private RemoteBuffer targets;
    private long nextTarget;

    /** @param receives posted at any time */
    Inbound(ByteBuffer ring, int receives) {
        this.ring = ring;
        half = ring.capacity() / 2;
        this.receives = receives;
        granted = half;
        credits = receives;
        tellAt = receives / 2;
    }

    void begin(ConnectionData peer) {
        targets = peer.targets();
        nextTarget = targets.length() == 1 ? 0 : 1;
    }

    /** A message came that takes a credit. */
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

    /** Takes what there is and fits. @return bytes */
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

    /** Whether the peer should hear that there is memory or that there are credits. */
    boolean isGrantDue() {
        return isHalfFree() || messages >= tellAt;
    }

    private boolean isHalfFree() {
        return granted - read <= half;
    }

    /** Tells the peer how many messages it may send, and which half of the ring is free if one is. @return whether one is */
    boolean grant(StreamPort port) {
        credits = messages + receives;
        tellAt = messages + receives / 2;
        int message = Message.of(Message.CREDITS, (int) (credits & 0xffff));
        if (!isHalfFree()) {
            port.tell(message);
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
