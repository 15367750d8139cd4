// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

/**
 * How one {@link SimulatedLink} is built.
 *
 * @param ipHeader      what its receiver learns of the IPv4 identification
 * @param bitsPerSecond how fast packets leave, headers and inter-frame gap included; 0 for infinitely fast
 * @param queueBytes    bytes that may wait to leave; what is more is dropped ({@link Fate#QUEUE_FULL}). Without effect at infinite speed
 * @param inboxPackets  packets that may wait to be polled; what is more is dropped ({@link Fate#INBOX_FULL})
 * @param port          what packets to this link queue at; null for nothing
 */
public record LinkProfile(IpHeader ipHeader, long bitsPerSecond, int queueBytes, int inboxPackets, SwitchPort port) {
    /** Sees the IP header, infinitely fast, an inbox of 4096 packets. */
    public static final LinkProfile DEFAULT = new LinkProfile(IpHeader.DELIVERED, 0, 1 << 20, 4096, null);

    /** What a receiver learns of the IPv4 identification. IPv6 packets have none. */
    public enum IpHeader {
        /** The identification is delivered; it is 0, as an unconnected UDP socket that may not fragment sends it. */
        DELIVERED,
        /** Like a UDP socket with a peer of our kind: hidden, and 0. */
        HIDDEN,
        /** Like a UDP socket with kernel rxe as the peer: hidden, any value, and the ICRC covers that value. */
        HIDDEN_RANDOM
    }

    public LinkProfile {
        if (bitsPerSecond < 0 || queueBytes < 0 || inboxPackets < 1) {
            throw new IllegalArgumentException(bitsPerSecond + " bit/s, queue " + queueBytes + " B, inbox " + inboxPackets);
        }
    }

    public LinkProfile withIpHeader(IpHeader header) {
        return new LinkProfile(header, bitsPerSecond, queueBytes, inboxPackets, port);
    }

    public LinkProfile withBandwidth(long rate, int queue) {
        return new LinkProfile(ipHeader, rate, queue, inboxPackets, port);
    }

    public LinkProfile withInbox(int packets) {
        return new LinkProfile(ipHeader, bitsPerSecond, queueBytes, packets, port);
    }

    public LinkProfile withPort(SwitchPort newPort) {
        return new LinkProfile(ipHeader, bitsPerSecond, queueBytes, inboxPackets, newPort);
    }
}
