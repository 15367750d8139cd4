// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WrOpcode;

class CompletedOpcodesTest {
    /** As in rdma-core's manual page of ibv_poll_cq, and its header. */
    @ParameterizedTest
    @CsvSource({"RDMA_WRITE,RDMA_WRITE", "RDMA_WRITE_WITH_IMM,RDMA_WRITE", "SEND,SEND", "SEND_WITH_IMM,SEND", "SEND_WITH_INV,SEND",
        "RDMA_READ,RDMA_READ", "ATOMIC_CMP_AND_SWP,COMP_SWAP", "ATOMIC_FETCH_AND_ADD,FETCH_ADD", "LOCAL_INV,LOCAL_INV",
        "BIND_MW,BIND_MW", "FLUSH,FLUSH", "ATOMIC_WRITE,ATOMIC_WRITE"})
    void shouldNameTheOperationThatWasPosted(WrOpcode posted, WcOpcode completed) {
        assertEquals(completed, CompletedOpcodes.of(posted.value()));
    }
}
