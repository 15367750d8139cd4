// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.softrdma.device.link.ReceivedFrame;
import org.softrdma.wire.Ipv4;
import org.softrdma.wire.Ipv6;
import org.softrdma.wire.Udp;

/**
 * The 40 bytes at the head of a received datagram: where it came from. An IPv6 header fills them; an IPv4 header stands in the last 20,
 * behind 20 zero bytes. Source: IBA vol 1 annex A17.
 *
 * <p>A socket does not show all of those headers. Addresses, lengths, protocol and traffic class are the packet's own, the IPv4
 * identification is the one its ICRC proves, and the IPv4 checksum is right for what stands there; the hop limit is always 64 and the
 * IPv6 flow label 0.
 */
final class GrhArea {
    static final int BYTES = 40;
    private static final int IPV4_AT = BYTES - Ipv4.LENGTH;
    private static final int HOP_LIMIT = 64;

    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 8);
    private final ByteBuffer buffer = memory.asByteBuffer().order(ByteOrder.BIG_ENDIAN);

    /** The bytes filled last. */
    MemorySegment memory() {
        return memory;
    }

    void fill(ReceivedFrame frame) {
        int udpLength = Udp.LENGTH + frame.length();
        if (frame.isIpv4()) {
            // The first half may hold an IPv6 header's.
            memory.asSlice(0, IPV4_AT).fill((byte) 0);
            Ipv4.put(buffer, IPV4_AT, frame.trafficClass(), Ipv4.LENGTH + udpLength, frame.ipId(), true, HOP_LIMIT, Ipv4.PROTOCOL_UDP,
                (int) frame.remoteLow(), frame.local().ipv4());
        } else {
            Ipv6.put(buffer, 0, frame.trafficClass(), 0, udpLength, Ipv4.PROTOCOL_UDP, HOP_LIMIT, frame.remoteHigh(), frame.remoteLow(),
                frame.local().high(), frame.local().low());
        }
    }
}
