// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmReq;

/**
 * Fields of a REQ, without those that only communication management uses. "Local" is the requesting side, on both sides.
 *
 * @param local              address of the requesting side's queue pair
 * @param remote             address of the other side's queue pair
 * @param serviceId          requested service, u64
 * @param transport          {@link CmReq#TRANSPORT_RC} or {@link CmReq#TRANSPORT_UC}; others can be received, and are rejected
 * @param qpn                the requesting side's queue pair, u24
 * @param startingPsn        first PSN it expects, u24: the other side sends from there
 * @param responderResources READs and atomics it accepts at a time, u8
 * @param initiatorDepth     READs and atomics it wants to have outstanding, u8
 * @param retryCount         for the other side's queue pair, 0..7
 * @param rnrRetryCount      for the other side's queue pair, 0..7
 * @param flowControl        it supports end-to-end flow control
 * @param srq                it uses a shared receive queue
 * @param pathMtu            1..5 for 256..4096; 0..15 can be received
 * @param pkey               u16
 * @param trafficClass       u8
 * @param flowLabel          20 bits
 * @param hopLimit           u8
 * @param ackTimeout         for the other side's queue pair, 0..31
 * @param localLid           LID of the requesting side on InfiniBand, u16
 * @param remoteLid          LID of the other side on InfiniBand, u16
 * @param serviceLevel       of the path, 4 bits; 0 on Ethernet
 * @param packetRate         of the path, 6 bits, as in a PathRecord; 0 on Ethernet
 * @param privateData        up to 92 bytes; always 92 in a received REQ
 */
public record ReqFields(Gid local, Gid remote, long serviceId, int transport, int qpn, int startingPsn, int responderResources,
                                int initiatorDepth, int retryCount, int rnrRetryCount, boolean flowControl, boolean srq, int pathMtu,
                                int pkey, int trafficClass, int flowLabel, int hopLimit, int ackTimeout, int localLid, int remoteLid,
                                int serviceLevel, int packetRate, byte[] privateData) {
    private static final int NO_LID = 0xffff;

    public static Builder builder() {
        return new Builder();
    }

    /** Decodes a REQ. */
    static ReqFields of(ByteBuffer mad) {
        return builder()
            .local(new Gid(CmReq.LOCAL_GID_HIGH.getLong(mad, 0), CmReq.LOCAL_GID_LOW.getLong(mad, 0)))
            .remote(new Gid(CmReq.REMOTE_GID_HIGH.getLong(mad, 0), CmReq.REMOTE_GID_LOW.getLong(mad, 0)))
            .serviceId(CmReq.SERVICE_ID.getLong(mad, 0))
            .transport(CmReq.TRANSPORT.get(mad, 0))
            .qpn(CmReq.QPN.get(mad, 0))
            .startingPsn(CmReq.STARTING_PSN.get(mad, 0))
            .responderResources(CmReq.RESPONDER_RESOURCES.get(mad, 0))
            .initiatorDepth(CmReq.INITIATOR_DEPTH.get(mad, 0))
            .retryCount(CmReq.RETRY_COUNT.get(mad, 0))
            .rnrRetryCount(CmReq.RNR_RETRY_COUNT.get(mad, 0))
            .flowControl(CmReq.FLOW_CONTROL.get(mad, 0) != 0)
            .srq(CmReq.SRQ.get(mad, 0) != 0)
            .pathMtu(CmReq.MTU.get(mad, 0))
            .pkey(CmReq.PKEY.get(mad, 0))
            .trafficClass(CmReq.TRAFFIC_CLASS.get(mad, 0))
            .flowLabel(CmReq.FLOW_LABEL.get(mad, 0))
            .hopLimit(CmReq.HOP_LIMIT.get(mad, 0))
            .ackTimeout(CmReq.ACK_TIMEOUT.get(mad, 0))
            .localLid(CmReq.LOCAL_LID.get(mad, 0))
            .remoteLid(CmReq.REMOTE_LID.get(mad, 0))
            .serviceLevel(CmReq.SERVICE_LEVEL.get(mad, 0))
            .packetRate(CmReq.PACKET_RATE.get(mad, 0))
            .privateData(CmMessage.privateData(mad, 0))
            .build();
    }

    /** Encodes the fields into a REQ whose header is written already. */
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
        CmReq.SERVICE_LEVEL.set(mad, 0, serviceLevel);
        CmReq.PACKET_RATE.set(mad, 0, packetRate);
        // There are no LIDs on Ethernet: Linux writes 0xffff if a packet may pass a router, and zeros within one subnet. IBA annex A16.
        CmReq.SUBNET_LOCAL.set(mad, 0, hopLimit <= 1 ? 1 : 0);
        CmReq.LOCAL_LID.set(mad, 0, hopLimit <= 1 ? localLid : NO_LID);
        CmReq.REMOTE_LID.set(mad, 0, hopLimit <= 1 ? remoteLid : NO_LID);
        CmMessage.putPrivateData(mad, 0, privateData);
    }

    /** Collects the fields of a REQ by name; those that are not set are 0, false or empty. */
    public static final class Builder {
        private Gid local;
        private Gid remote;
        private long serviceId;
        private int transport;
        private int qpn;
        private int startingPsn;
        private int responderResources;
        private int initiatorDepth;
        private int retryCount;
        private int rnrRetryCount;
        private boolean flowControl;
        private boolean srq;
        private int pathMtu;
        private int pkey;
        private int trafficClass;
        private int flowLabel;
        private int hopLimit;
        private int ackTimeout;
        private int localLid;
        private int remoteLid;
        private int serviceLevel;
        private int packetRate;
        private byte[] privateData = {};

        private Builder() {
        }

        public Builder local(Gid value) {
            local = value;
            return this;
        }

        public Builder remote(Gid value) {
            remote = value;
            return this;
        }

        public Builder serviceId(long value) {
            serviceId = value;
            return this;
        }

        public Builder transport(int value) {
            transport = value;
            return this;
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

        public Builder retryCount(int value) {
            retryCount = value;
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

        public Builder pathMtu(int value) {
            pathMtu = value;
            return this;
        }

        public Builder pkey(int value) {
            pkey = value;
            return this;
        }

        public Builder trafficClass(int value) {
            trafficClass = value;
            return this;
        }

        public Builder flowLabel(int value) {
            flowLabel = value;
            return this;
        }

        public Builder hopLimit(int value) {
            hopLimit = value;
            return this;
        }

        public Builder ackTimeout(int value) {
            ackTimeout = value;
            return this;
        }

        public Builder localLid(int value) {
            localLid = value;
            return this;
        }

        public Builder remoteLid(int value) {
            remoteLid = value;
            return this;
        }

        public Builder serviceLevel(int value) {
            serviceLevel = value;
            return this;
        }

        public Builder packetRate(int value) {
            packetRate = value;
            return this;
        }

        public Builder privateData(byte[] value) {
            privateData = value;
            return this;
        }

        public ReqFields build() {
            return new ReqFields(local, remote, serviceId, transport, qpn, startingPsn, responderResources, initiatorDepth, retryCount,
                rnrRetryCount, flowControl, srq, pathMtu, pkey, trafficClass, flowLabel, hopLimit, ackTimeout, localLid, remoteLid,
                serviceLevel, packetRate, privateData);
        }
    }
}
