// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.VerbsException;

/** Ends a test: the message, in the original's words, is printed here and sent to the peer; a verb's detail is only printed here. */
final class QPerfFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String detail;

    QPerfFailure(String message) {
        this(message, null);
    }

    /** @param detail a line of its own, for this end's user; may be null */
    QPerfFailure(String message, String detail) {
        super(message);
        this.detail = detail;
    }

    /** A failure of a verb: the operation, and the verb's reason. */
    static QPerfFailure of(String what, VerbsException refused) {
        QPerfFailure failure = new QPerfFailure(what + ": " + refused.errno().text(), refused.getMessage());
        failure.initCause(refused);
        return failure;
    }

    /** Runs a verb, or says what it was for. */
    static void attempt(String what, Runnable verb) {
        try {
            verb.run();
        } catch (VerbsException refused) {
            throw of(what, refused);
        }
    }

    /** The complete text, without the end of the last line. */
    String text() {
        return detail == null ? getMessage() : getMessage() + "\n" + detail;
    }
}
