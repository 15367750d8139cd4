// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WrOpcode;

/** Maps the opcode of a send work request to the opcode of its completion. */
public final class CompletedOpcodes {
    private static final WcOpcode[] WC_OPCODES = wcOpcodes();

    private CompletedOpcodes() {
    }

    /**
     * Opcode of a completion.
     *
     * @param wrOpcode a {@link WrOpcode} value of a send work request
     * @return the opcode that its completion bears
     */
    public static WcOpcode of(int wrOpcode) {
        return WC_OPCODES[wrOpcode];
    }

    private static WcOpcode[] wcOpcodes() {
        WcOpcode[] table = new WcOpcode[WrOpcode.ATOMIC_WRITE.value() + 1];
        table[WrOpcode.RDMA_WRITE.value()] = WcOpcode.RDMA_WRITE;
        table[WrOpcode.RDMA_WRITE_WITH_IMM.value()] = WcOpcode.RDMA_WRITE;
        table[WrOpcode.SEND.value()] = WcOpcode.SEND;
        table[WrOpcode.SEND_WITH_IMM.value()] = WcOpcode.SEND;
        table[WrOpcode.SEND_WITH_INV.value()] = WcOpcode.SEND;
        table[WrOpcode.RDMA_READ.value()] = WcOpcode.RDMA_READ;
        table[WrOpcode.ATOMIC_CMP_AND_SWP.value()] = WcOpcode.COMP_SWAP;
        table[WrOpcode.ATOMIC_FETCH_AND_ADD.value()] = WcOpcode.FETCH_ADD;
        table[WrOpcode.LOCAL_INV.value()] = WcOpcode.LOCAL_INV;
        table[WrOpcode.BIND_MW.value()] = WcOpcode.BIND_MW;
        table[WrOpcode.FLUSH.value()] = WcOpcode.FLUSH;
        table[WrOpcode.ATOMIC_WRITE.value()] = WcOpcode.ATOMIC_WRITE;
        return table;
    }
}
