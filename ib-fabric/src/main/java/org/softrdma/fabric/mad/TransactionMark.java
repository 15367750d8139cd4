// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.mad;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Mad;

/**
 * Mark in the upper 16 bits of the transaction IDs of one client's requests, by which answers find it among those at its port. The rest of
 * the ID is the client's. Linux uses the upper half in the same way.
 */
public final class TransactionMark {
    private static final int SHIFT = 48;
    private static final long REST = -1L >>> 64 - SHIFT;
    private static final int SIMULATOR_CLIENTS = 0x5100;

    private final long mark;

    private TransactionMark(int mark) {
        this.mark = mark;
    }

    /**
     * The mark of a client by ibsim's protocol.
     *
     * @param number 0 to 255
     */
    public static TransactionMark ofSimulatorClient(int number) {
        return new TransactionMark(SIMULATOR_CLIENTS | number);
    }

    /** Marks a request. */
    public void set(ByteBuffer mad) {
        mad.putLong(Mad.TRANSACTION_ID_OFFSET, rest(Mad.transactionId(mad, 0)) | mark << SHIFT);
    }

    /** Whether a transaction ID has this mark. */
    public boolean isOn(long transactionId) {
        return transactionId >>> SHIFT == mark;
    }

    /** The part of a transaction ID that marks do not change. */
    public static long rest(long transactionId) {
        return transactionId & REST;
    }
}
