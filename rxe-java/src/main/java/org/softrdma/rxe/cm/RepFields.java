// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRep;

/**
 * What a REP says of the accepted connection.
 *
 * @param qpn                the answering side's queue pair, u24
 * @param startingPsn        the PSN it expects first, u24: where the asking side begins to send
 * @param responderResources READs and atomics it can have outstanding against itself, u8
 * @param initiatorDepth     READs and atomics it will have outstanding, u8
 * @param targetAckDelay     how long it takes to acknowledge, exponent 0..31
 * @param rnrRetryCount      for the asking side's queue pair, 0..7
 * @param flowControl        it does end-to-end flow control
 * @param srq                it takes its receives from a shared queue
 * @param privateData        up to 196 bytes; those of a received one are always 196
 */
public record RepFields(int qpn, int startingPsn, int responderResources, int initiatorDepth, int targetAckDelay, int rnrRetryCount,
                              boolean flowControl, boolean srq, byte[] privateData) {

    /** Reads a REP. */
    static RepFields of(ByteBuffer mad) {
        return new RepFields(CmRep.QPN.get(mad, 0), CmRep.STARTING_PSN.get(mad, 0), CmRep.RESPONDER_RESOURCES.get(mad, 0),
            CmRep.INITIATOR_DEPTH.get(mad, 0), CmRep.TARGET_ACK_DELAY.get(mad, 0), CmRep.RNR_RETRY_COUNT.get(mad, 0),
            CmRep.FLOW_CONTROL.get(mad, 0) != 0, CmRep.SRQ.get(mad, 0) != 0, CmMessage.privateData(mad, 0));
    }

    /** Writes its part of a REP that was begun. */
    void put(ByteBuffer mad) {
        CmRep.QPN.set(mad, 0, qpn);
        CmRep.STARTING_PSN.set(mad, 0, startingPsn);
        CmRep.RESPONDER_RESOURCES.set(mad, 0, responderResources);
        CmRep.INITIATOR_DEPTH.set(mad, 0, initiatorDepth);
        CmRep.TARGET_ACK_DELAY.set(mad, 0, targetAckDelay);
        CmRep.RNR_RETRY_COUNT.set(mad, 0, rnrRetryCount);
        CmRep.FLOW_CONTROL.set(mad, 0, flowControl ? 1 : 0);
        CmRep.SRQ.set(mad, 0, srq ? 1 : 0);
        CmMessage.putPrivateData(mad, 0, privateData);
    }
}
