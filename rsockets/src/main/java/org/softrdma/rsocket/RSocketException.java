// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.io.IOException;
import org.softrdma.rsocket.stream.StreamException;
import org.softrdma.rsocket.stream.Violation;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Failure to make a stream, or the end of a stream before both ends wanted it. */
public final class RSocketException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Cause in the form of the C library. */
    private final Errno errno;
    /** Mistake of the peer, or null. */
    private final Violation violation;
    /** Text for the message, or null. */
    private final String detail;

    private RSocketException(Errno errno, Violation violation, String detail, Throwable cause) {
        super(errno.text() + " (" + errno + "): " + detail, cause);
        this.errno = errno;
        this.violation = violation;
        this.detail = detail;
    }

    RSocketException(Errno errno, String detail) {
        this(errno, null, detail, null);
    }

    static RSocketException of(VerbsException cause) {
        return new RSocketException(cause.errno(), null, cause.getMessage(), cause);
    }

    static RSocketException of(StreamException cause) {
        return new RSocketException(cause.errno(), cause.violation(), cause.getMessage(), cause);
    }

    /** Copies this exception with the stack of the current thread: a failure is thrown by every later call. */
    RSocketException again() {
        return new RSocketException(errno, violation, detail, this);
    }

    /** {@return ECONNREFUSED, ETIMEDOUT, ECONNRESET, EPROTO, EIO, or the errno of a verb or of the connection manager} */
    public Errno errno() {
        return errno;
    }

    /** {@return what the peer did wrong, with EPROTO; otherwise null} */
    public Violation violation() {
        return violation;
    }
}
