// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.cm;

/** Outcomes of a run that are counted: a run in which one never occurs proves nothing about it. */
enum CmOutcome {
    ESTABLISHED, REJECTED, UNREACHABLE, DISCONNECTED_BY_US, DISCONNECTED_BY_PEER, DISCONNECT_UNANSWERED, ABANDONED, GAVE_UP_BY_DATA,
    REQUEST_DROPPED, CRASHED, LOST_FOR_GOOD, ESTABLISHED_BY_PACKET, STALE, STILL_CONNECTED_AT_THE_END
}
