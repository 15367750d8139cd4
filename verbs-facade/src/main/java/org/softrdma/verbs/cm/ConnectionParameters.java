// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * What two ends of a connection tell each other ({@code struct rdma_conn_param}). In an event the numbers are seen from this end: the
 * peer's initiator depth is our responder resources.
 *
 * @param privateData        the application's bytes, never null; what an event brings may be longer than what the peer gave, padded with
 *     zeros, so let the data say its length. Not copied: do not change it
 * @param responderResources RDMA READs and atomics taken from the peer at once, 0..255; {@link #MAX} asks for what the device can
 * @param initiatorDepth     RDMA READs and atomics under way to the peer at once, 0..255; {@link #MAX} asks for what the device can
 * @param flowControl        end-to-end flow control is available; told to the peer, otherwise without meaning
 * @param retryCount         transport retries of the connecting side, 0..7; the accepting side's are what the request says
 * @param rnrRetryCount      retries of the <em>peer's</em> sends that meet no receive here, 0..7; 7 is for ever
 * @param srq                the queue pair has a shared receive queue; with {@link CmId#createQp} known anyway
 * @param qpNum              the queue pair's number, 24 bits; with {@link CmId#createQp} known anyway
 */
public record ConnectionParameters(byte[] privateData, int responderResources, int initiatorDepth, boolean flowControl, int retryCount,
                                   int rnrRetryCount, boolean srq, int qpNum) {
    /** As many as the device can. */
    public static final int MAX = 0xff;
    /** Largest retry count. */
    public static final int MAX_RETRIES = 7;
    /** What C's null stands for: all the device can, seven retries, no private data. */
    public static final ConnectionParameters DEFAULT =
        new ConnectionParameters(new byte[0], MAX, MAX, false, MAX_RETRIES, MAX_RETRIES, false, 0);

    public ConnectionParameters {
        Objects.requireNonNull(privateData);
    }

    public ConnectionParameters withPrivateData(byte[] bytes) {
        return new ConnectionParameters(bytes, responderResources, initiatorDepth, flowControl, retryCount, rnrRetryCount, srq, qpNum);
    }

    /** @param responder {@link #responderResources} @param initiator {@link #initiatorDepth} */
    public ConnectionParameters withReads(int responder, int initiator) {
        return new ConnectionParameters(privateData, responder, initiator, flowControl, retryCount, rnrRetryCount, srq, qpNum);
    }

    /** @param retries {@link #retryCount} @param rnrRetries {@link #rnrRetryCount} */
    public ConnectionParameters withRetries(int retries, int rnrRetries) {
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, flowControl, retries, rnrRetries, srq, qpNum);
    }

    public ConnectionParameters withFlowControl(boolean available) {
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, available, retryCount, rnrRetryCount, srq, qpNum);
    }

    /** @param number {@link #qpNum} @param shared {@link #srq} */
    public ConnectionParameters withQp(int number, boolean shared) {
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, flowControl, retryCount, rnrRetryCount, shared,
            number);
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
            + (flowControl ? ", flow control" : "") + ", private data [" + HexFormat.of().formatHex(privateData) + "]";
    }
}
