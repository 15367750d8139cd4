// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

/** Queue of packets before a wire of limited speed. */
final class WireQueue {
    private static final double NS_PER_SECOND = 1e9;
    /** Preamble and gap 20, Ethernet 18, UDP 8, and the IP header. */
    private static final int OVERHEAD_IPV4 = 20 + 18 + 8 + 20;
    private static final int OVERHEAD_IPV6 = 20 + 18 + 8 + 40;

    private final long bitsPerSecond;
    private long busyUntilNs;

    WireQueue(long bitsPerSecond, long nowNs) {
        this.bitsPerSecond = bitsPerSecond;
        busyUntilNs = nowNs;
    }

    /** Bytes before a packet added now, headers and gaps included. */
    double waitingBytes(long nowNs) {
        return Math.max(busyUntilNs - nowNs, 0) * (double) bitsPerSecond / (8 * NS_PER_SECOND);
    }

    /**
     * Adds a packet.
     *
     * @param length BTH to ICRC
     * @return time at which its last bit is sent
     */
    long add(long nowNs, int length, boolean ipv4) {
        long wireBytes = length + (ipv4 ? OVERHEAD_IPV4 : OVERHEAD_IPV6);
        busyUntilNs = nowNs + Math.max(busyUntilNs - nowNs, 0) + wireBytes * 8L * (long) NS_PER_SECOND / bitsPerSecond;
        return busyUntilNs;
    }
}
