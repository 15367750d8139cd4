// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

/** Counters of subnet administration. */
public enum SaCounter {
    /** Requests that were answered, with an error status too. */
    SA_REQUESTS,
    /** Answers with an error status. */
    SA_REFUSED,
    /** Multicast groups that were created by a join. */
    SA_GROUPS_CREATED,
    /** Reports of events to clients that subscribed to them, repetitions not included. */
    SA_REPORTS,
    /** Tables that were sent in more than one packet. */
    SA_SEGMENTED_ANSWERS,
    /** Segments that were sent again because no acknowledgement came. */
    SA_SEGMENTS_REPEATED,
    /** Answers in several packets that were given up: stopped by the receiver, not acknowledged, or acknowledged wrongly. */
    SA_ANSWERS_ABORTED,
    /** Datagrams that are shorter than a MAD or of another version. */
    DROP_SA_MALFORMED,
    /** Requests while this manager is not the master, or its subnet is not up. */
    DROP_SA_NOT_MASTER,
    /** Requests with another SM_Key than this manager's. */
    DROP_SA_BAD_KEY,
    /** Requests in several packets, which no method that is served has. */
    DROP_SA_SEGMENTED_REQUEST,
    /** Acknowledgements of segments or reports that are not under way. */
    DROP_SA_NO_TRANSFER,
    /** Answers for which there was no room. */
    DROP_SA_QUEUE_FULL
}
