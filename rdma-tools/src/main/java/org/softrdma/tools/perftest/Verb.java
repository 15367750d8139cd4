// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

/** Operation that a test measures. */
public enum Verb {
    SEND("Send"),
    WRITE("RDMA_Write"),
    READ("RDMA_Read"),
    ATOMIC("Atomic");

    /** Name in headings. */
    final String title;

    Verb(String title) {
        this.title = title;
    }

    /** Whether the responder returns data: READs and atomics, whose number outstanding is limited. */
    boolean fetches() {
        return this == READ || this == ATOMIC;
    }
}
