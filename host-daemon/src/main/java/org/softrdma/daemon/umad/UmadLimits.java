// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

/** Bounds of what programs may have. */
final class UmadLimits {
    /** Agents of one open file, as in the kernel; beyond: ENOMEM. */
    static final int AGENTS_OF_A_FILE = 32;
    /** Received datagrams that wait to be read from one file; beyond: lost and counted. The kernel keeps 200,000. */
    static final int RECEIVED = 1024;
    /** Requests of one file that wait for their answer, or came back without one and were not read yet; beyond: ENOMEM. */
    static final int OUTSTANDING = 1024;
    /** Calls of read that wait on one file; beyond: ENOMEM. One for each thread of a program. */
    static final int WAITING_CALLS = 1024;

    private UmadLimits() {
    }
}
