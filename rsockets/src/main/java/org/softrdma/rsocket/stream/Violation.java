// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

/** Violations of the protocol by a peer. Each one ends the stream with EPROTO. */
public enum Violation {
    /** Fewer bytes of connection data than the protocol requires. */
    SHORT_CONNECTION_DATA("the connection data are too short"),
    /** A version of the protocol other than 1. */
    UNKNOWN_VERSION("the connection data are of another version"),
    /** A target list without entries: free memory could not be announced to the peer. */
    NO_TARGETS("the peer's list of targets is empty"),
    /** A message of a reserved kind. */
    RESERVED_MESSAGE("a message of a reserved kind"),
    /** More bytes than were granted. */
    DATA_BEYOND_GRANT("more data than was granted"),
    /** More messages than credits. */
    MESSAGES_BEYOND_CREDITS("more messages than credits"),
    /** Data after the peer's SHUTDOWN. */
    DATA_AFTER_SHUTDOWN("data after the end of the data"),
    /** More credits than the peer has receives, or credits that were used before. */
    CREDITS_BEYOND_RECEIVES("more credits than the peer has receives"),
    /** Memory for direct transfers at an index that was not offered. */
    IOMAP_BEYOND_LIST("memory for direct transfers that was not requested"),
    /** A SEND that is not a message of four bytes. */
    MALFORMED_MESSAGE("a message that is not four bytes long");

    private final String text;

    Violation(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
