// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.sysfs;

import java.util.List;

/** Counters of kernel rxe, without {@code lifespan}. Source: {@code drivers/infiniband/sw/rxe/rxe_hw_counters.c} of Linux 6.1. */
public final class RxeHwCounters {
    /** Their names, in the kernel's order. */
    public static final List<String> NAMES = List.of("sent_pkts", "rcvd_pkts", "duplicate_request", "out_of_seq_request",
        "rcvd_rnr_err", "send_rnr_err", "rcvd_seq_err", "ack_deferred", "retry_exceeded_err", "retry_rnr_exceeded_err",
        "completer_retry_err", "send_err", "link_downed", "rdma_sends", "rdma_recvs");

    private RxeHwCounters() {
    }
}
