// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

/** Bounds of what programs may have. Events are bounded by the identifiers: a few for each, and the backlog for a listener. */
final class UcmLimits {
    /** Identifiers of all programs together, including those of requests that were handed out; beyond: ENOMEM. */
    static final int IDENTIFIERS = 65_536;
    /** Identifiers of one open file; beyond: ENOMEM. */
    static final int IDENTIFIERS_OF_A_FILE = 16_384;
    /** Memberships of multicast groups of all programs together; beyond: ENOMEM. */
    static final int MEMBERSHIPS = 16_384;
    /** Memberships of one identifier; beyond: ENOMEM. */
    static final int MEMBERSHIPS_OF_AN_IDENTIFIER = 256;
    /** Calls of GET_EVENT that wait on one file; beyond: ENOMEM. One for each thread of a program. */
    static final int WAITING_CALLS = 1024;
    /** Largest backlog of a listener, the kernel's default of {@code net.rdma_ucm.max_backlog}; what is beyond counts as this. */
    static final int MAX_BACKLOG = 1024;
    /** Unread events of a channel beyond which the program can write no more. */
    static final int WRITTEN_EVENTS = 4096;

    private UcmLimits() {
    }
}
