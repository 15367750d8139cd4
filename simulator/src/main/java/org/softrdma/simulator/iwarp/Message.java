// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import org.softrdma.simulator.Slot;

/** A planned work request of a {@link MessageStream}, what must come of it, and how far it came. */
final class Message {
    /** Kinds of requests. */
    enum Kind {
        SEND, EMPTY_SEND, WRITE, WRITE_IMM, READ, FETCH_ADD, SWAP, SEND_INV;

        boolean takesReceive() {
            return this == SEND || this == EMPTY_SEND || this == WRITE_IMM || this == SEND_INV;
        }

        boolean isAtomic() {
            return this == FETCH_ADD || this == SWAP;
        }

        boolean isAnswered() {
            return this == READ || isAtomic();
        }

        boolean isWrite() {
            return this == WRITE || this == WRITE_IMM;
        }

        boolean isSend() {
            return this == SEND || this == EMPTY_SEND || this == SEND_INV;
        }
    }

    final Kind kind;
    /** Position in the plan, and the work request's id. */
    final int number;
    final int length;
    final boolean fence;
    final boolean solicited;
    final boolean inline;
    /** Memory of the sender: the payload, or the place of the answer. Null for an empty message. */
    Slot local;
    /** Memory of the peer that is written, read or changed; null for SENDs. */
    Slot remote;
    /** Receive that it takes; null for others. */
    Slot receive;
    /** Key and address by which {@link #remote} is named. */
    int rkey;
    long remoteAddress;
    /** The payload, or that of the answer. */
    byte[] bytes = {};
    /** Operands of an atomic. */
    long compareAdd;
    long swap;
    /** Value that an atomic must find. */
    long original;
    boolean posted;
    /** It was posted when its peer's memory was closed already. */
    boolean hopeless;
    /** Its data is known to be in the peer's memory. */
    boolean placed;
    /** It completed with success. */
    boolean succeeded;

    Message(Kind kind, int number, int length, boolean fence, boolean solicited, boolean inline) {
        this.kind = kind;
        this.number = number;
        this.length = length;
        this.fence = fence;
        this.solicited = solicited;
        this.inline = inline;
    }

    int immediate() {
        return number << 8 | 0xee;
    }

    /** Whether it touches memory of the peer by a key. */
    boolean needsKey() {
        return kind.isAtomic() || length > 0 && (kind.isWrite() || kind == Kind.READ);
    }

    @Override
    public String toString() {
        return kind + " " + number + " of " + length + " bytes" + (fence ? ", fenced" : "") + (solicited ? ", solicited" : "");
    }
}
