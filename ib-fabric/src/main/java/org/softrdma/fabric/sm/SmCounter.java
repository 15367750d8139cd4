// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

/** Counters of a subnet manager. */
public enum SmCounter {
    /** Sweeps that read the whole subnet. */
    HEAVY_SWEEPS,
    /** Sweeps that only look for changes. */
    LIGHT_SWEEPS,
    /** Sweeps of the whole subnet in which everything answered, so that it is up. */
    SUBNET_UP,
    /** Requests sent, repetitions included. */
    REQUESTS_SENT,
    /** Requests without a response after the last repetition. */
    REQUESTS_TIMED_OUT,
    /** Responses with an error status. */
    RESPONSES_WITH_ERROR,
    /** Times that the manager began to stand by. */
    STANDBY,
    /** Traps received. */
    TRAPS,
    /** Datagrams that are shorter than a MAD or of another version. */
    DROP_MALFORMED,
    /** Datagrams of another class or method, or for an attribute that is not served. */
    DROP_UNSUPPORTED,
    /** Control packets of other managers that this one's state does not allow. */
    DROP_BAD_STATE,
    /** Traps that came while another manager was the master. */
    DROP_NOT_MASTER,
    /** Responses that no request waits for. */
    DROP_NO_REQUEST,
    /** Traps from a LID that no port can have. */
    DROP_BAD_LID,
    /** Answers to others for which the output queue had no room. */
    DROP_QUEUE_FULL,
    /** Responses of nodes whose NodeInfo is impossible. */
    DROP_BAD_NODE,
    /** Nodes beyond the greatest number, or farther away than a directed route reaches. */
    DROP_OUT_OF_REACH,
    /** P_Keys that a port's table has no room for. */
    NO_PKEY,
    /** Ports for which there was no LID, or LIDs beyond a switch's table. */
    NO_LID
}
