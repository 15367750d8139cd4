// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ipoib.IpoibArp;
import org.softrdma.wire.ipoib.IpoibHeader;
import org.softrdma.wire.ipoib.IpoibNeighbor;
import org.softrdma.wire.net.InternetChecksum;
import org.softrdma.wire.net.Ipv6;

/**
 * Any bytes as messages that an interface in connected mode receives, as private data of requests, and as IP packets that it is to send:
 * delivered, answered or dropped by name, never with an exception, and queues stay within their bounds.
 */
class IpoibFuzzTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int OWN_IP = 0x0A09_0001;
    private static final long PREFIX = 0xFD09_0000_0000_0000L;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyDatagrams(byte[] bytes) {
        IpoibSubnet subnet = new IpoibSubnet(2, 1);
        IpoibSubnet.Host host = subnet.hosts.get("h1");
        host.restart(IpoibMode.CONNECTED);
        host.ip.setAddresses(List.of(new Prefix(Gid.ofIpv4(OWN_IP), 24), new Prefix(new Gid(PREFIX, 1), 64)), 0);
        subnet.run(SECOND);
        for (int at = 0; at + 2 < bytes.length;) {
            int kind = bytes[at] & 0xFF;
            int length = Math.min(bytes[at + 1] & 0xFF, bytes.length - at - 2);
            ByteBuffer message = ByteBuffer.allocate(length);
            message.put(0, bytes, at + 2, length);
            mend(message, kind);
            if ((kind & 0xC0) == 0xC0) {
                host.ip.onConnectionRequest(new Gid(1, kind), message.array(), subnet.nowNs());
            } else if ((kind & 0x81) == 0x80) {
                host.ip.onMessage(kind >>> 1 & 7, message, 0, length, subnet.nowNs());
            } else if ((kind & 1) == 0) {
                host.ip.onDatagram(message, 0, length, kind >>> 4, 2, subnet.nowNs());
            } else {
                host.ip.onIpPacket(message, 0, length, subnet.nowNs());
            }
            at += 2 + length;
        }
        for (int i = 0; host.ip.pollPacket() != null; i++) {
            check(i < IpoibInterface.MAX_QUEUED);
        }
        subnet.run(5 * SECOND);
        check(host.ip.isUp());
    }

    /** Makes messages that pass the first checks, which hardly any bytes would. */
    private static void mend(ByteBuffer message, int kind) {
        int length = message.capacity();
        if ((kind & 2) != 0 && length >= IpoibHeader.LENGTH + IpoibArp.LENGTH) {
            message.putLong(0, 0x0806_0000_0020_0800L);
            message.putShort(8, (short) 0x1404);
        } else if ((kind & 4) != 0 && length >= IpoibHeader.LENGTH + Ipv6.LENGTH + IpoibNeighbor.OPTIONS_OFFSET) {
            int at = IpoibHeader.LENGTH;
            int icmp = at + Ipv6.LENGTH;
            int bytes = length - icmp;
            message.putInt(0, 0x86DD_0000);
            Ipv6.put(message, at, 0, 0, bytes, IpoibNeighbor.ICMPV6, IpoibNeighbor.HOP_LIMIT, PREFIX, 2, PREFIX, 1);
            IpoibNeighbor.TYPE.set(message, icmp, IpoibNeighbor.SOLICITATION + (kind >>> 3 & 1));
            IpoibNeighbor.CODE.set(message, icmp, 0);
            IpoibNeighbor.CHECKSUM.set(message, icmp, 0);
            IpoibNeighbor.CHECKSUM.set(message, icmp,
                InternetChecksum.of(IpoibNeighbor.ICMPV6, message, icmp, bytes, at + Ipv6.SOURCE_OFFSET, 32));
        }
    }

    private static void check(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }
}
