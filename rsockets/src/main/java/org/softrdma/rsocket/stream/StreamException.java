// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import org.softrdma.verbs.Errno;

/** The end of a stream before both ends wanted it. The channel above turns it into an exception of its own for each call. */
public final class StreamException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Cause in the form of the C library. */
    private final Errno errno;
    /** Mistake of the peer, or null. */
    private final Violation violation;

    private StreamException(Errno errno, Violation violation, String detail) {
        super(detail);
        this.errno = errno;
        this.violation = violation;
    }

    /** @param detail the values that explain the errno */
    StreamException(Errno errno, String detail) {
        this(errno, null, detail);
    }

    /**
     * Reports a peer that broke the protocol, as EPROTO.
     *
     * @param values what was received and what would have been right
     */
    static StreamException of(Violation violation, String values) {
        return new StreamException(Errno.EPROTO, violation, "the peer broke the protocol: " + violation.text() + ": " + values);
    }

    /** {@return ECONNRESET, EPROTO or EIO} */
    public Errno errno() {
        return errno;
    }

    /** {@return what the peer did wrong, with EPROTO; otherwise null} */
    public Violation violation() {
        return violation;
    }
}
