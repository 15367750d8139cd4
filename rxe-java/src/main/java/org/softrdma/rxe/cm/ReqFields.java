// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmReq;

/**
 * What a REQ says of the connection that is asked for. "Local" is the asking side, whoever reads it.
 *
 * @param local              address of the asking side's queue pair
 * @param remote             address of the other side's queue pair
 * @param serviceId          what is asked for, u64
 * @param transport          {@link CmReq#TRANSPORT_RC} or {@link CmReq#TRANSPORT_UC}; others can come in, and are rejected
 * @param qpn                the asking side's queue pair, u24
 * @param startingPsn        the PSN it expects first, u24: where the other side begins to send
 * @param responderResources READs and atomics it can have outstanding against itself, u8
 * @param initiatorDepth     READs and atomics it wants to have outstanding, u8
 * @param retryCount         for the other side's queue pair, 0..7
 * @param rnrRetryCount      for the other side's queue pair, 0..7
 * @param flowControl        it does end-to-end flow control
 * @param srq                it takes its receives from a shared queue
 * @param pathMtu            1..5 for 256..4096; 0..15 can come in
 * @param pkey               u16
 * @param trafficClass       u8
 * @param flowLabel          20 bits
 * @param hopLimit           u8
 * @param ackTimeout         for the other side's queue pair, 0..31
 * @param privateData        up to 92 bytes; those of a received one are always 92
 */
public record ReqFields(Gid local, Gid remote, long serviceId, int transport, int qpn, int startingPsn, int responderResources,
                                int initiatorDepth, int retryCount, int rnrRetryCount, boolean flowControl, boolean srq, int pathMtu,
                                int pkey, int trafficClass, int flowLabel, int hopLimit, int ackTimeout, byte[] privateData) {
    private static final int NO_LID = 0xffff;

    /** Reads a REQ. */
    static ReqFields of(ByteBuffer mad) {
        return new ReqFields(
            new Gid(CmReq.LOCAL_GID_HIGH.getLong(mad, 0), CmReq.LOCAL_GID_LOW.getLong(mad, 0)),
            new Gid(CmReq.REMOTE_GID_HIGH.getLong(mad, 0), CmReq.REMOTE_GID_LOW.getLong(mad, 0)),
            CmReq.SERVICE_ID.getLong(mad, 0), CmReq.TRANSPORT.get(mad, 0), CmReq.QPN.get(mad, 0), CmReq.STARTING_PSN.get(mad, 0),
            CmReq.RESPONDER_RESOURCES.get(mad, 0), CmReq.INITIATOR_DEPTH.get(mad, 0), CmReq.RETRY_COUNT.get(mad, 0),
            CmReq.RNR_RETRY_COUNT.get(mad, 0), CmReq.FLOW_CONTROL.get(mad, 0) != 0, CmReq.SRQ.get(mad, 0) != 0, CmReq.MTU.get(mad, 0),
            CmReq.PKEY.get(mad, 0), CmReq.TRAFFIC_CLASS.get(mad, 0), CmReq.FLOW_LABEL.get(mad, 0), CmReq.HOP_LIMIT.get(mad, 0),
            CmReq.ACK_TIMEOUT.get(mad, 0), CmMessage.privateData(mad, 0));
    }

    /** Writes its part of a REQ that was begun. */
    void put(ByteBuffer mad) {
        CmReq.SERVICE_ID.set(mad, 0, serviceId);
        CmReq.TRANSPORT.set(mad, 0, transport);
        CmReq.QPN.set(mad, 0, qpn);
        CmReq.STARTING_PSN.set(mad, 0, startingPsn);
        CmReq.RESPONDER_RESOURCES.set(mad, 0, responderResources);
        CmReq.INITIATOR_DEPTH.set(mad, 0, initiatorDepth);
        CmReq.RETRY_COUNT.set(mad, 0, retryCount);
        CmReq.RNR_RETRY_COUNT.set(mad, 0, rnrRetryCount);
        CmReq.FLOW_CONTROL.set(mad, 0, flowControl ? 1 : 0);
        CmReq.SRQ.set(mad, 0, srq ? 1 : 0);
        CmReq.MTU.set(mad, 0, pathMtu);
        CmReq.PKEY.set(mad, 0, pkey);
        CmReq.LOCAL_GID_HIGH.set(mad, 0, local.high());
        CmReq.LOCAL_GID_LOW.set(mad, 0, local.low());
        CmReq.REMOTE_GID_HIGH.set(mad, 0, remote.high());
        CmReq.REMOTE_GID_LOW.set(mad, 0, remote.low());
        CmReq.TRAFFIC_CLASS.set(mad, 0, trafficClass);
        CmReq.FLOW_LABEL.set(mad, 0, flowLabel);
        CmReq.HOP_LIMIT.set(mad, 0, hopLimit);
        CmReq.ACK_TIMEOUT.set(mad, 0, ackTimeout);
        // There are no LIDs on Ethernet. Linux says so where a packet may pass a router, and in one subnet by zeros; IBA annex A16.
        CmReq.SUBNET_LOCAL.set(mad, 0, hopLimit <= 1 ? 1 : 0);
        CmReq.LOCAL_LID.set(mad, 0, hopLimit <= 1 ? 0 : NO_LID);
        CmReq.REMOTE_LID.set(mad, 0, hopLimit <= 1 ? 0 : NO_LID);
        CmMessage.putPrivateData(mad, 0, privateData);
    }
}
