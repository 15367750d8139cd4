// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.util.Locale;

/** Events at one end of a connection that are counted, besides the reasons of {@link org.softrdma.rpcrdma.wire.HeaderFault}. */
public enum TransportCounter {
    /** Calls received by a server, or sent by a client. */
    CALLS,
    /** Replies sent by a server, or received by a client. */
    REPLIES,
    /** Calls that were partly or wholly in read chunks. */
    CALLS_WITH_READ_CHUNKS,
    /** Replies of which a part was written into write chunks. */
    REPLIES_WITH_WRITE_CHUNKS,
    /** Replies that were written into the reply chunk. */
    LONG_REPLIES,
    /** Replies that invalidated a key of the client. */
    INVALIDATIONS,
    /** Calls that arrived while as many were in work as credits were granted. They are served while there are receives. */
    CALLS_BEYOND_CREDITS,
    /** Calls in the reverse direction. */
    REVERSE_CALLS,
    /** Calls that the service failed to execute. */
    SERVICE_FAILURES,
    /** Replies in either direction to no outstanding call. They are dropped. */
    UNKNOWN_REPLIES,
    /** Messages of the procedures DONE and ERROR without an outstanding call. They are ignored. */
    IGNORED_MESSAGES,
    /** Messages of fewer than four bytes. They are dropped. */
    RUNTS,
    /** Reverse calls that were dropped because too many are in work. */
    REVERSE_OVERRUNS,
    /** Replies whose chunks differ from those of their calls. The calls fail. */
    BAD_REPLIES;

    /** {@return the name of the counter} */
    public String counter() {
        return name().toLowerCase(Locale.ROOT);
    }
}
