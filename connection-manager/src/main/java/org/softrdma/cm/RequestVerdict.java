// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

/** Decision of a listener on a request that was received for its service. */
public enum RequestVerdict {
    /** Kept; it will be answered, now or later. */
    TAKEN,
    /** Refused on behalf of the application: REJ with reason 28, SIDR_REP with status 2, an MPA reply with the reject flag. */
    REFUSED,
    /** Ignored, because the backlog is full. The peer repeats the request, as if it had been lost. */
    DROPPED
}
