// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.Grh;

/**
 * First 40 bytes of a receive that holds a datagram: its network header. The global route header of RoCE v1 and InfiniBand or an IPv6
 * header fills them; an IPv4 header occupies the last 20, after 20 zero bytes. All are zero without a global route. Source: IBA vol 1
 * §8.3, annex A17.
 *
 * <p>A socket does not show all of those headers. Addresses, lengths, protocol and traffic class are the packet's own, the IPv4
 * identification is the one its ICRC proves, and the IPv4 checksum matches these fields; the hop limit is 64 where the link does not see
 * it, and the flow label always 0.
 */
final class GrhArea {
    static final int BYTES = 40;
    private static final int IPV4_AT = BYTES - Ipv4.LENGTH;

    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 8);
    private final ByteBuffer buffer = memory.asByteBuffer().order(ByteOrder.BIG_ENDIAN);

    /** The bytes of the last {@link #fill}. */
    MemorySegment memory() {
        return memory;
    }

    void fill(ReceivedFrame frame) {
        int udpLength = Udp.LENGTH + frame.length();
        if (frame.isWithinSubnet()) {
            // The content is undefined then: zeros rather than bytes of an earlier datagram.
            memory.fill((byte) 0);
        } else if (frame.type() != GidType.ROCE_V2) {
            Grh.put(buffer, 0, frame.trafficClass(), 0, frame.length(), Grh.NEXT_HEADER_BTH, frame.hopLimit(), frame.remoteHigh(),
                frame.remoteLow(), frame.local().high(), frame.local().low());
        } else if (frame.isIpv4()) {
            // May hold the first half of an earlier IPv6 header.
            memory.asSlice(0, IPV4_AT).fill((byte) 0);
            Ipv4.put(buffer, IPV4_AT, frame.trafficClass(), Ipv4.LENGTH + udpLength, frame.ipId(), !frame.mayFragment(),
                frame.hopLimit(), Ipv4.PROTOCOL_UDP, (int) frame.remoteLow(), frame.local().ipv4());
        } else {
            Ipv6.put(buffer, 0, frame.trafficClass(), 0, udpLength, Ipv4.PROTOCOL_UDP, frame.hopLimit(), frame.remoteHigh(),
                frame.remoteLow(), frame.local().high(), frame.local().low());
        }
    }
}
