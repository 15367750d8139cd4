// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.util.Locale;

/** Events of a target that are counted, besides the outcomes of commands and the reasons of refused connections. */
public enum NvmeCounter {
    COMMANDS,
    /** Writes whose data were in the capsule. */
    IN_CAPSULE_WRITES,
    /** RDMA READs of the data of commands. */
    DATA_READS,
    /** RDMA WRITEs of the data of commands. */
    DATA_WRITES,
    /** Responses that invalidated a key of the host. */
    INVALIDATIONS,
    /** Capsules shorter than a command; they end their queue. */
    SHORT_CAPSULES,
    /** Controllers whose host was not heard of within its keep-alive timeout. */
    KEEP_ALIVE_TIMEOUTS,
    /** Controllers that hosts configured in an unsupported way. */
    FATAL_CONFIGURATIONS,
    /** Accesses to the store that failed. */
    STORE_FAILURES;

    /** The name of the counter. */
    public String counter() {
        return name().toLowerCase(Locale.ROOT);
    }
}
