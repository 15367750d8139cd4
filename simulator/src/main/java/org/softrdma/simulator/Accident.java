// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

/**
 * Something an application does in the middle of everything.
 *
 * @param pair    which connection it happens to
 * @param onA     on which side
 * @param when    share of the connection's planned packets after which it happens, 0..1
 * @param amid    a region is deregistered when a message that writes or reads it was executed in part, if there is one soon
 */
record Accident(Kind kind, int pair, boolean onA, double when, boolean amid) {
    enum Kind {
        /** A region is deregistered that the peer reads and writes, that work requests here send from, and that receives wait in. */
        DEREGISTER,
        /** The queue pair is moved to ERR. */
        TO_ERROR,
        /** The queue pair is destroyed. */
        DESTROY
    }
}
