// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import java.util.Locale;

/** Counters of calls. */
public enum CallCounter {
    CALLS,
    /** Sent again by a client, and answered with the reply of the first time. */
    DUPLICATE_CALLS,
    /** Messages that are no calls, dropped. */
    NO_CALLS,
    /** Refused: another version of RPC, or an authentication that is not supported. */
    DENIED_CALLS,
    UNKNOWN_PROGRAMS,
    UNKNOWN_PROCEDURES,
    MALFORMED_ARGUMENTS,
    LONG_REPLIES,
    /** Calls that failed by a defect of the server. */
    FAILURES,
    /** TCP connections refused, as there are too many. */
    REFUSED_CONNECTIONS,
    /** TCP records that are too long, which end their connection. */
    LONG_RECORDS;

    /** The counter's name in reports. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
