// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRep;

/**
 * Fields of a REP, without those that only communication management uses.
 *
 * @param qpn                the accepting side's queue pair, u24
 * @param startingPsn        first PSN it expects, u24: the requesting side sends from there
 * @param responderResources READs and atomics it accepts at a time, u8
 * @param initiatorDepth     READs and atomics it will have outstanding, u8
 * @param targetAckDelay     time it takes to acknowledge, exponent 0..31
 * @param rnrRetryCount      for the requesting side's queue pair, 0..7
 * @param flowControl        it supports end-to-end flow control
 * @param srq                it uses a shared receive queue
 * @param privateData        up to 196 bytes; always 196 in a received REP
 */
public record RepFields(int qpn, int startingPsn, int responderResources, int initiatorDepth, int targetAckDelay, int rnrRetryCount,
                              boolean flowControl, boolean srq, byte[] privateData) {

    public static Builder builder() {
        return new Builder();
    }

    /** Decodes a REP. */
    static RepFields of(ByteBuffer mad) {
        return builder()
            .qpn(CmRep.QPN.get(mad, 0))
            .startingPsn(CmRep.STARTING_PSN.get(mad, 0))
            .responderResources(CmRep.RESPONDER_RESOURCES.get(mad, 0))
            .initiatorDepth(CmRep.INITIATOR_DEPTH.get(mad, 0))
            .targetAckDelay(CmRep.TARGET_ACK_DELAY.get(mad, 0))
            .rnrRetryCount(CmRep.RNR_RETRY_COUNT.get(mad, 0))
            .flowControl(CmRep.FLOW_CONTROL.get(mad, 0) != 0)
            .srq(CmRep.SRQ.get(mad, 0) != 0)
            .privateData(CmMessage.privateData(mad, 0))
            .build();
    }

    /** Encodes the fields into a REP whose header is written already. */
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

    /** Collects the fields of a REP by name; those that are not set are 0, false or empty. */
    public static final class Builder {
        private int qpn;
        private int startingPsn;
        private int responderResources;
        private int initiatorDepth;
        private int targetAckDelay;
        private int rnrRetryCount;
        private boolean flowControl;
        private boolean srq;
        private byte[] privateData = {};

        private Builder() {
        }

        public Builder qpn(int value) {
            qpn = value;
            return this;
        }

        public Builder startingPsn(int value) {
            startingPsn = value;
            return this;
        }

        public Builder responderResources(int value) {
            responderResources = value;
            return this;
        }

        public Builder initiatorDepth(int value) {
            initiatorDepth = value;
            return this;
        }

        public Builder targetAckDelay(int value) {
            targetAckDelay = value;
            return this;
        }

        public Builder rnrRetryCount(int value) {
            rnrRetryCount = value;
            return this;
        }

        public Builder flowControl(boolean value) {
            flowControl = value;
            return this;
        }

        public Builder srq(boolean value) {
            srq = value;
            return this;
        }

        public Builder privateData(byte[] value) {
            privateData = value;
            return this;
        }

        public RepFields build() {
            return new RepFields(qpn, startingPsn, responderResources, initiatorDepth, targetAckDelay, rnrRetryCount, flowControl, srq,
                privateData);
        }
    }
}
