// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * Parameters that two ends of a connection exchange ({@code struct rdma_conn_param}). In an event the numbers are seen from this end: the
 * peer's initiator depth is our responder resources.
 *
 * @param privateData        the application's bytes, never null; in an event they may be longer than what the peer gave, padded with
 *     zeros, so let the data contain its length. Not copied: do not change it
 * @param responderResources RDMA READs and atomics taken from the peer at once, 0..255; {@link #MAX} for the maximum of the device
 * @param initiatorDepth     RDMA READs and atomics under way to the peer at once, 0..255; {@link #MAX} for the maximum of the device
 * @param flowControl        end-to-end flow control is available; sent to the peer, otherwise unused
 * @param retryCount         transport retries of the connecting side, 0..7; the accepting side uses those in the request
 * @param rnrRetryCount      retries of the <em>peer's</em> sends that find no receive here, 0..7; 7 for no limit
 * @param srq                the queue pair has a shared receive queue; ignored with {@link CmId#createQp}, which knows it
 * @param qpNum              the queue pair's number, 24 bits; ignored with {@link CmId#createQp}, which knows it
 */
public record ConnectionParameters(byte[] privateData, int responderResources, int initiatorDepth, boolean flowControl, int retryCount,
                                   int rnrRetryCount, boolean srq, int qpNum) {
    /** Maximum of the device. */
    public static final int MAX = 0xff;
    /** Largest retry count. */
    public static final int MAX_RETRIES = 7;
    /** Parameters that C's null pointer stands for: all RDMA READs the device supports, seven retries, no private data. */
    public static final ConnectionParameters DEFAULT = builder().responderResources(MAX).initiatorDepth(MAX).retryCount(MAX_RETRIES)
        .rnrRetryCount(MAX_RETRIES).build();

    /** Checks that there are private data. */
    public ConnectionParameters {
        Objects.requireNonNull(privateData);
    }

    /**
     * Begins with a zeroed {@code struct rdma_conn_param}.
     *
     * @return a builder with no RDMA READs, no retries, no private data
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Replaces the private data.
     *
     * @param bytes not copied; as many as the transport carries
     * @return new parameters
     */
    public ConnectionParameters withPrivateData(byte[] bytes) {
        return new ConnectionParameters(bytes, responderResources, initiatorDepth, flowControl, retryCount, rnrRetryCount, srq, qpNum);
    }

    /**
     * Replaces the numbers of RDMA READs and atomics.
     *
     * @param responder {@link #responderResources}
     * @param initiator {@link #initiatorDepth}
     * @return new parameters
     */
    public ConnectionParameters withReads(int responder, int initiator) {
        return new ConnectionParameters(privateData, responder, initiator, flowControl, retryCount, rnrRetryCount, srq, qpNum);
    }

    /**
     * Replaces both retry counts.
     *
     * @param retries    {@link #retryCount}
     * @param rnrRetries {@link #rnrRetryCount}
     * @return new parameters
     */
    public ConnectionParameters withRetries(int retries, int rnrRetries) {
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, flowControl, retries, rnrRetries, srq, qpNum);
    }

    /**
     * Replaces whether end-to-end flow control is available.
     *
     * @param available sent to the peer
     * @return new parameters
     */
    public ConnectionParameters withFlowControl(boolean available) {
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, available, retryCount, rnrRetryCount, srq, qpNum);
    }

    /**
     * Replaces the description of the queue pair.
     *
     * @param number {@link #qpNum}
     * @param shared {@link #srq}
     * @return new parameters
     */
    public ConnectionParameters withQp(int number, boolean shared) {
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, flowControl, retryCount, rnrRetryCount, shared,
            number);
    }

    /** Collects the values by name; each that is not set is 0, false or empty. */
    public static final class Builder {
        private byte[] privateData = {};
        private int responderResources;
        private int initiatorDepth;
        private boolean flowControl;
        private int retryCount;
        private int rnrRetryCount;
        private boolean srq;
        private int qpNum;

        private Builder() {
        }

        /**
         * Sets {@link ConnectionParameters#privateData}.
         *
         * @param bytes new value
         * @return this
         */
        public Builder privateData(byte[] bytes) {
            privateData = bytes;
            return this;
        }

        /**
         * Sets {@link ConnectionParameters#responderResources}.
         *
         * @param count new value
         * @return this
         */
        public Builder responderResources(int count) {
            responderResources = count;
            return this;
        }

        /**
         * Sets {@link ConnectionParameters#initiatorDepth}.
         *
         * @param count new value
         * @return this
         */
        public Builder initiatorDepth(int count) {
            initiatorDepth = count;
            return this;
        }

        /**
         * Sets {@link ConnectionParameters#flowControl}.
         *
         * @param available new value
         * @return this
         */
        public Builder flowControl(boolean available) {
            flowControl = available;
            return this;
        }

        /**
         * Sets {@link ConnectionParameters#retryCount}.
         *
         * @param retries new value
         * @return this
         */
        public Builder retryCount(int retries) {
            retryCount = retries;
            return this;
        }

        /**
         * Sets {@link ConnectionParameters#rnrRetryCount}.
         *
         * @param retries new value
         * @return this
         */
        public Builder rnrRetryCount(int retries) {
            rnrRetryCount = retries;
            return this;
        }

        /**
         * Sets {@link ConnectionParameters#srq}.
         *
         * @param shared new value
         * @return this
         */
        public Builder srq(boolean shared) {
            srq = shared;
            return this;
        }

        /**
         * Sets {@link ConnectionParameters#qpNum}.
         *
         * @param number new value
         * @return this
         */
        public Builder qpNum(int number) {
            qpNum = number;
            return this;
        }

        /** {@return the parameters} */
        public ConnectionParameters build() {
            return new ConnectionParameters(privateData, responderResources, initiatorDepth, flowControl, retryCount, rnrRetryCount, srq,
                qpNum);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConnectionParameters that && Arrays.equals(privateData, that.privateData)
            && responderResources == that.responderResources && initiatorDepth == that.initiatorDepth && flowControl == that.flowControl
            && retryCount == that.retryCount && rnrRetryCount == that.rnrRetryCount && srq == that.srq && qpNum == that.qpNum;
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(privateData), responderResources, initiatorDepth, flowControl, retryCount, rnrRetryCount, srq,
            qpNum);
    }

    @Override
    public String toString() {
        return "qp 0x" + Integer.toHexString(qpNum) + (srq ? " with srq" : "") + ", responder_resources " + responderResources
            + ", initiator_depth " + initiatorDepth + ", retries " + retryCount + "/" + rnrRetryCount
            + (flowControl ? ", flow control" : "") + ", private data [" + HexFormat.of().formatHex(privateData, 0, unpaddedLength()) + "]";
    }

    /** Length of the private data without trailing zeros. */
    private int unpaddedLength() {
        int end = privateData.length;
        while (end > 0 && privateData[end - 1] == 0) {
            end--;
        }
        return end;
    }
}
