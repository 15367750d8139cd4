// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

/**
 * Events of a packet. Every packet is {@link #SENT} once, as its sender made it; then its faults are reported, in the order of these
 * constants; each copy that was not lost ends in one of the last three, with the bytes as they arrive.
 */
public enum Fate {
    /** Left its sender. */
    SENT,
    /** Dropped: the queue of the sending link, or of the port before the receiver, was full. */
    QUEUE_FULL,
    /** Dropped: this direction is partitioned. */
    PARTITIONED,
    /** Dropped at random. */
    LOST,
    /** A second copy is on its way. */
    DUPLICATED,
    /** One bit was inverted; the bytes are those that will arrive. */
    FLIPPED,
    /** Shortened; the bytes are those that will arrive. */
    TRUNCATED,
    /** Lengthened; the bytes are those that will arrive. */
    EXTENDED,
    /** Held so that later packets may overtake it. */
    REORDERED,
    /** Held until the clog of this direction ends. */
    CLOGGED,
    /** The congestion mark was set: the queue of the port before the receiver was long. */
    MARKED,
    /** Reached the receiver's inbox. */
    DELIVERED,
    /** Dropped: the receiver's inbox was full. */
    INBOX_FULL,
    /** Dropped: the receiver's link was closed. */
    NO_RECEIVER
}
