// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/**
 * Settings and bounds of one {@link CommunicationManager}. Times are exponents: 4.096 µs · 2^value.
 *
 * @param caGuid          GUID of this channel adapter, u64; unique among all reachable adapters, as it identifies a connection together
 *                        with a communication ID
 * @param responseTimeout time each side may take to answer, 0..31
 * @param packetLifeTime  time a packet may be in flight, 0..31
 * @param ackDelay        time this side takes to acknowledge, 0..31
 * @param maxRetries      repetitions of a message before the peer counts as unreachable, 0..15
 * @param maxConnections  connections and SIDR exchanges in all states; beyond that, connect fails and requests are rejected with
 *                        "no resources"
 * @param maxOutgoing     MADs waiting to be sent; beyond that, a MAD is dropped and counted, as if it had been lost on the wire
 * @param maxAnswered     answered SIDR requests that are remembered, so that a repeated one gets the same answer; beyond that, the oldest
 *                        is forgotten
 * @param maxInFlight     requests of ours that wait for one peer's answer at a time; further ones are queued
 */
public record CmSettings(long caGuid, int responseTimeout, int packetLifeTime, int ackDelay, int maxRetries, int maxConnections,
                         int maxOutgoing, int maxAnswered, int maxInFlight) {
    private static final int UNIT_NS = 4096;
    private static final long MIN_INTERVAL_NS = 1_000_000;
    /** Longest time granted to a peer: 69 s. With more, an unfinished connection could block resources for hours. */
    private static final int MAX_WAIT_EXPONENT = 24;
    /** An idle peer answers within this time, and {@link #maxInFlight} requests once in this time overload nobody. */
    private static final long MIN_PATIENCE_NS = 50_000_000;
    /** A peer that takes longer is not busy but waiting for something itself: further requests may be sent meanwhile. */
    private static final long MAX_PATIENCE_NS = 2_000_000_000;

    /** Returns the settings that Linux uses on RoCE: 16 REQs, one every 6.4 s. */
    public static CmSettings of(long caGuid) {
        return new CmSettings(caGuid, 20, 18, 15, 15, 65_536, 1024, 1024, 64);
    }

    public CmSettings withMaxRetries(int retries) {
        return new CmSettings(caGuid, responseTimeout, packetLifeTime, ackDelay, retries, maxConnections, maxOutgoing, maxAnswered,
            maxInFlight);
    }

    public CmSettings withMaxConnections(int connections) {
        return new CmSettings(caGuid, responseTimeout, packetLifeTime, ackDelay, maxRetries, connections, maxOutgoing, maxAnswered,
            maxInFlight);
    }

    public CmSettings withMaxOutgoing(int mads) {
        return new CmSettings(caGuid, responseTimeout, packetLifeTime, ackDelay, maxRetries, maxConnections, mads, maxAnswered,
            maxInFlight);
    }

    public CmSettings withMaxAnswered(int requests) {
        return new CmSettings(caGuid, responseTimeout, packetLifeTime, ackDelay, maxRetries, maxConnections, maxOutgoing, requests,
            maxInFlight);
    }

    public CmSettings withMaxInFlight(int requests) {
        return new CmSettings(caGuid, responseTimeout, packetLifeTime, ackDelay, maxRetries, maxConnections, maxOutgoing, maxAnswered,
            requests);
    }

    /** Converts an exponent, 0..31, to nanoseconds. */
    static long ns(int exponent) {
        return (long) UNIT_NS << exponent;
    }

    /** Interval after which a message is repeated, from the time the peer may take to answer; clamped to 1 ms..69 s. */
    static long intervalNs(int responseTimeout) {
        return Math.max(ns(Math.min(responseTimeout, MAX_WAIT_EXPONENT)), MIN_INTERVAL_NS);
    }

    /** Time the IDs of an ended connection stay reserved, so that late packets do not match a new connection: up to 69 s. */
    static long timewaitNs(int ackTimeout) {
        return ns(Math.min(ackTimeout, MAX_WAIT_EXPONENT));
    }

    /** Minimum time that an unanswered request occupies a slot of {@link #maxInFlight}. */
    long minPatienceNs() {
        return MIN_PATIENCE_NS;
    }

    /** Maximum time that an unanswered request occupies a slot of {@link #maxInFlight}, however slow the peer's answers are. */
    long maxPatienceNs() {
        return MAX_PATIENCE_NS;
    }

    /** Interval after which a REQ is repeated: response time, and one packet life time in each direction. IBA vol 1 §12.9.8.5 */
    long requestIntervalNs() {
        return intervalNs(responseTimeout) + 2 * ns(packetLifeTime);
    }

    /** ACK timeout of our queue pairs as one exponent: the round trip, and the peer's ACK delay. IBA vol 1 §12.7.34 */
    public int ackTimeout(int peersAckDelay) {
        return ackTimeout(packetLifeTime, peersAckDelay);
    }

    /** As {@link #ackTimeout(int)}, on a path that has a packet life time of its own. */
    public static int ackTimeout(int packetLifeTime, int peersAckDelay) {
        int roundTrip = packetLifeTime + 1;
        int timeout = roundTrip >= peersAckDelay
            ? roundTrip + (peersAckDelay >= roundTrip - 1 ? 1 : 0)
            : peersAckDelay + (roundTrip >= peersAckDelay - 1 ? 1 : 0);
        return Math.min(timeout, 31);
    }
}
