// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

/** What a test measures. */
public enum Verb {
    SEND("Send"),
    WRITE("RDMA_Write"),
    READ("RDMA_Read"),
    ATOMIC("Atomic");

    /** In headings. */
    final String title;

    Verb(String title) {
        this.title = title;
    }

    /** Whether the requester gets data back: a READ or an atomic, whose number under way is limited. */
    boolean fetches() {
        return this == READ || this == ATOMIC;
    }
}
