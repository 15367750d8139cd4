// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import org.softrdma.rsocket.RSocketException;

/** What a peer can do that the protocol does not allow. Each ends the stream: {@link RSocketException#violation}. */
public enum Violation {
    /** Less connection data than the protocol has. */
    SHORT_CONNECTION_DATA("the connection data are too short"),
    /** A version of the protocol other than 1. */
    UNKNOWN_VERSION("the connection data are of another version"),
    /** A list of targets without entries: there would be no way to tell the peer of free memory. */
    NO_TARGETS("the peer's list of targets is empty"),
    /** A message of a kind that the protocol reserves. */
    RESERVED_MESSAGE("a message of a reserved kind"),
    /** More bytes than the memory that was granted holds. */
    DATA_BEYOND_GRANT("more data than was granted"),
    /** More messages than credits were given. */
    MESSAGES_BEYOND_CREDITS("more messages than credits"),
    /** Data after the peer said that there is no more. */
    DATA_AFTER_SHUTDOWN("data after the end of the data"),
    /** Credits that the peer has no receives for, or that were used already. */
    CREDITS_BEYOND_RECEIVES("more credits than the peer has receives"),
    /** Memory for direct transfers at an index that was not offered. */
    IOMAP_BEYOND_LIST("memory for direct transfers that nobody asked for"),
    /** A message that is not four bytes long, where messages are SENDs. */
    MALFORMED_MESSAGE("a message that is not four bytes long");

    private final String text;

    Violation(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
