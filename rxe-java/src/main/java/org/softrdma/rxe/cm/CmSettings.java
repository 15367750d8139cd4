// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/**
 * What one side tells its peers of itself, and its bounds. Times are exponents: 4.096 µs · 2^value.
 *
 * @param caGuid            this channel adapter, u64; no other one in reach may have it: with a communication id it names a connection
 * @param responseTimeout   how long each side may take to answer, 0..31
 * @param packetLifeTime    how long a packet may be in flight, 0..31
 * @param ackDelay          how long this side takes to acknowledge, 0..31
 * @param maxRetries        how often a message is repeated before the peer counts as unreachable, 0..15
 * @param maxConnections    connections and questions of all states together; when there are so many, connect fails and requests are
 *                          rejected with "no resources"
 * @param maxOutgoing       MADs waiting to be sent; when there are so many, the next is lost, as a wire would lose it
 * @param maxAnswered       answered questions for a service id that are remembered, so that a repeated one gets the same answer; when
 *                          there are so many, the oldest is forgotten
 * @param maxInFlight       requests of ours that wait for one peer's answer at a time; the next ones wait for their turn
 */
public record CmSettings(long caGuid, int responseTimeout, int packetLifeTime, int ackDelay, int maxRetries, int maxConnections,
                         int maxOutgoing, int maxAnswered, int maxInFlight) {
    private static final int UNIT_NS = 4096;
    private static final long MIN_INTERVAL_NS = 1_000_000;
    /** 69 s: what a peer asks for beyond that would keep a connection that is none for hours. */
    private static final int MAX_WAIT_EXPONENT = 24;
    /** A program that is not busy has accepted by then, and so many requests at a time, once in that time, are no flood to anybody. */
    private static final long MIN_PATIENCE_NS = 50_000_000;
    /** Whoever takes longer is not busy, but waits for something, and may be asked for more meanwhile. */
    private static final long MAX_PATIENCE_NS = 2_000_000_000;

    /** The times that Linux uses on RoCE: 16 REQs, one each 6.4 s. */
    public static CmSettings of(long caGuid) {
        return new CmSettings(caGuid, 20, 18, 15, 15, 65_536, 1024, 1024, 64);
    }

    /** Nanoseconds of an exponent, 0..31. */
    static long ns(int exponent) {
        return (long) UNIT_NS << exponent;
    }

    /** After how long a message is repeated that a peer may take so long to answer: 1 ms to 69 s, whatever it says. */
    static long intervalNs(int responseTimeout) {
        return Math.max(ns(Math.min(responseTimeout, MAX_WAIT_EXPONENT)), MIN_INTERVAL_NS);
    }

    /** How long the ids of an ended connection stay in use, so that late packets do not meet a new one: up to 69 s. */
    static long timewaitNs(int ackTimeout) {
        return ns(Math.min(ackTimeout, MAX_WAIT_EXPONENT));
    }

    /** How long a request without answer holds up those that wait for their turn, at least. */
    long minPatienceNs() {
        return MIN_PATIENCE_NS;
    }

    /** And at most, however long this peer's answers take. */
    long maxPatienceNs() {
        return MAX_PATIENCE_NS;
    }

    /** After how long a REQ is repeated: the answer may take its time, and both packets theirs. IBA vol 1 §12.9.8.5 */
    long requestIntervalNs() {
        return intervalNs(responseTimeout) + 2 * ns(packetLifeTime);
    }

    /** The ACK timeout of our queue pairs: there and back, and what the peer takes in between, in one exponent. IBA vol 1 §12.7.34 */
    public int ackTimeout(int peersAckDelay) {
        int flight = packetLifeTime + 1;
        int timeout = flight >= peersAckDelay
            ? flight + (peersAckDelay >= flight - 1 ? 1 : 0)
            : peersAckDelay + (flight >= peersAckDelay - 1 ? 1 : 0);
        return Math.min(timeout, 31);
    }
}
