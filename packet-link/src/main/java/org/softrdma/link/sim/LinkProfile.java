// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import java.util.List;
import org.softrdma.verbs.GidType;

/**
 * Properties of a {@link SimulatedLink}.
 *
 * @param ipHeader      visibility of the IPv4 identification to its receiver
 * @param bitsPerSecond sending rate, headers and inter-frame gap included; 0 for infinitely fast
 * @param queueBytes    bytes that may wait to be sent; further packets are dropped ({@link Fate#QUEUE_FULL}). No effect at infinite speed
 * @param inboxPackets  packets that may wait to be polled; further ones are dropped ({@link Fate#INBOX_FULL})
 * @param port          switch port that packets to this link pass; null for none
 * @param types         versions of RoCE, in the order in which the GID table lists them
 */
public record LinkProfile(IpHeader ipHeader, long bitsPerSecond, int queueBytes, int inboxPackets, SwitchPort port, List<GidType> types) {
    /** IP header delivered, infinitely fast, an inbox of 4096 packets, RoCE v2. */
    public static final LinkProfile DEFAULT = new LinkProfile(IpHeader.DELIVERED, 0, 1 << 20, 4096, null, List.of(GidType.ROCE_V2));

    /** Visibility of the IPv4 identification to a receiver. IPv6 packets have none. */
    public enum IpHeader {
        /** The identification is delivered; it is 0, as an unconnected UDP socket that may not fragment sends it. */
        DELIVERED,
        /** Hidden, and 0: a UDP socket whose peer is this library. */
        HIDDEN,
        /** Hidden, any value, covered by the ICRC: a UDP socket whose peer is kernel rxe. */
        HIDDEN_RANDOM
    }

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is negative, or the inbox holds nothing
     */
    public LinkProfile {
        if (bitsPerSecond < 0 || queueBytes < 0 || inboxPackets < 1) {
            throw new IllegalArgumentException(bitsPerSecond + " bit/s, queue " + queueBytes + " B, inbox " + inboxPackets);
        }
    }

    /**
     * Replaces the visibility of the IPv4 identification.
     *
     * @param header what the receiver sees
     * @return a new profile
     */
    public LinkProfile withIpHeader(IpHeader header) {
        return new LinkProfile(header, bitsPerSecond, queueBytes, inboxPackets, port, types);
    }

    /**
     * Replaces the sending rate.
     *
     * @param rate  bits per second; 0 for infinitely fast
     * @param queue bytes that may wait to be sent
     * @return a new profile
     */
    public LinkProfile withBandwidth(long rate, int queue) {
        return new LinkProfile(ipHeader, rate, queue, inboxPackets, port, types);
    }

    /**
     * Replaces the size of the inbox.
     *
     * @param packets at least 1
     * @return a new profile
     */
    public LinkProfile withInbox(int packets) {
        return new LinkProfile(ipHeader, bitsPerSecond, queueBytes, packets, port, types);
    }

    /**
     * Replaces the versions of RoCE.
     *
     * @param versions in the order of the GID table
     * @return a new profile
     */
    public LinkProfile withTypes(GidType... versions) {
        return new LinkProfile(ipHeader, bitsPerSecond, queueBytes, inboxPackets, port, List.of(versions));
    }

    /**
     * Replaces the switch port before the link.
     *
     * @param newPort null for none
     * @return a new profile
     */
    public LinkProfile withPort(SwitchPort newPort) {
        return new LinkProfile(ipHeader, bitsPerSecond, queueBytes, inboxPackets, newPort, types);
    }
}
