// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.List;
import org.softrdma.wire.roce.RnrTimer;

/**
 * How long what is left may take on a network without faults, with applications that post at once. Everything is counted as if it happened
 * one after the other, so the bound is generous, but it is no larger for a device that waits for a timer where it should not.
 *
 * <ul>
 * <li>Packets that were held or delayed before come first.
 * <li>Each stream may have lost its last packets, or the answers to them, before: one ACK timeout to find out. A second one for the
 *     packets that were on their way then, because one NAK is sent for a gap and it may have been lost.
 * <li>A stream that may die, because its peer is gone, needs its retries: retry_cnt + 1 timeouts (IBA vol 1 §9.7.6.1.2).
 * <li>A message that needs a receive may have come before it was posted, and waits for the RNR timer the peer's queue pair names.
 * <li>Each request has its round trips, and a window of eight packets, the smallest, is sent per round trip.
 * </ul>
 *
 * An ACK timeout fires after at most four times 4.096 µs · 2^code (IBA vol 1 §9.9.2.3); devices that run on general-purpose hosts may
 * raise it to {@link #SHORTEST_TIMEOUT_NS}.
 */
final class TimeBound {
    private static final long SHORTEST_TIMEOUT_NS = 4_000_000;
    private static final int SMALLEST_WINDOW = 8;
    /** A request and its answer, and the request that waited for that. */
    private static final int ROUND_TRIPS = 2;

    private TimeBound() {
    }

    static long of(Scenario scenario, List<RequestStream> streams) {
        long timeoutNs = Math.max(4 * (4096L << scenario.timeout()), SHORTEST_TIMEOUT_NS);
        long roundTripNs = 2 * scenario.faults().delayMaxNs();
        long boundNs = scenario.faults().reorderMaxNs() + roundTripNs;
        for (RequestStream stream : streams) {
            boundNs += 2 * timeoutNs + (stream.mayDie() ? (scenario.retryCount() + 1) * timeoutNs : 0);
            for (PlannedRequest request : stream.left()) {
                int packets = 1 + request.length / scenario.mtu().bytes();
                boundNs += ROUND_TRIPS * roundTripNs + roundTripNs * packets / SMALLEST_WINDOW;
                boundNs += request.kind.consumesReceive() ? RnrTimer.toNs(scenario.minRnrTimer()) : 0;
            }
        }
        return boundNs;
    }
}
