// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.net.Vlan;

/** parse(emit(x)) == x, in heap and in direct memory alike. */
class HeaderPropertyTest {
    private static final int AT = 3;

    private static ByteBuffer buffer(boolean direct) {
        ByteBuffer b = direct ? ByteBuffer.allocateDirect(64) : ByteBuffer.allocate(64);
        for (int i = 0; i < b.capacity(); i++) {
            b.put(i, Bytes.FILL);
        }
        return b;
    }

    @Property
    void bth(@ForAll boolean direct, @ForAll @IntRange(max = 255) int opcode, @ForAll boolean se, @ForAll @IntRange(max = 3) int pad,
            @ForAll @IntRange(max = 0xFFFF) int pkey, @ForAll @IntRange(max = 0xFFFFFF) int qp, @ForAll boolean ack,
            @ForAll @IntRange(max = 0xFFFFFF) int psn) {
        ByteBuffer b = buffer(direct);
        Bth.put(b, AT, opcode, se, pad, pkey, qp, ack, psn);
        assertEquals(opcode, Bth.opcode(b, AT));
        assertEquals(se, Bth.solicitedEvent(b, AT));
        assertEquals(pad, Bth.padCount(b, AT));
        assertEquals(pkey, Bth.pkey(b, AT));
        assertEquals(qp, Bth.destQp(b, AT));
        assertEquals(ack, Bth.ackRequest(b, AT));
        assertEquals(psn, Bth.psn(b, AT));
        assertEquals(0, Bth.transportVersion(b, AT));
        assertTrue(!Bth.migReq(b, AT) && !Bth.fecn(b, AT) && !Bth.becn(b, AT));
    }

    @Property
    void reth(@ForAll boolean direct, @ForAll long va, @ForAll int rkey, @ForAll @LongRange(max = 0xFFFF_FFFFL) long length) {
        ByteBuffer b = buffer(direct);
        Reth.put(b, AT, va, rkey, length);
        assertEquals(va, Reth.va(b, AT));
        assertEquals(rkey, Reth.rkey(b, AT));
        assertEquals(length, Reth.length(b, AT));
    }

    @Property
    void atomics(@ForAll boolean direct, @ForAll long va, @ForAll int rkey, @ForAll long swapAdd, @ForAll long compare) {
        ByteBuffer b = buffer(direct);
        AtomicEth.put(b, AT, va, rkey, swapAdd, compare);
        assertEquals(va, AtomicEth.va(b, AT));
        assertEquals(rkey, AtomicEth.rkey(b, AT));
        assertEquals(swapAdd, AtomicEth.swapAdd(b, AT));
        assertEquals(compare, AtomicEth.compare(b, AT));
        AtomicAckEth.put(b, AT, compare);
        assertEquals(compare, AtomicAckEth.original(b, AT));
    }

    @Property
    void shortHeaders(@ForAll boolean direct, @ForAll int word, @ForAll @IntRange(max = 0xFFFFFF) int u24,
            @ForAll @IntRange(max = 255) int u8) {
        ByteBuffer b = buffer(direct);
        Deth.put(b, AT, word, u24);
        assertEquals(word, Deth.qkey(b, AT));
        assertEquals(u24, Deth.sourceQp(b, AT));
        Aeth.put(b, AT, u8, u24);
        assertEquals(u8, Aeth.syndrome(b, AT));
        assertEquals(u24, Aeth.msn(b, AT));
        Xrceth.put(b, AT, u24);
        assertEquals(u24, Xrceth.srqn(b, AT));
        Rdeth.put(b, AT, u24);
        assertEquals(u24, Rdeth.eeContext(b, AT));
        ImmDt.put(b, AT, word);
        assertEquals(word, ImmDt.immediate(b, AT));
        Ieth.put(b, AT, word);
        assertEquals(word, Ieth.rkey(b, AT));
        Icrc.put(b, AT, word);
        assertEquals(word, Icrc.get(b, AT));
        Feth.put(b, AT, u8 & 15, u8 >>> 4 & 3);
        assertEquals(u8 & 15, Feth.placementType(b, AT));
        assertEquals(u8 >>> 4 & 3, Feth.selectivity(b, AT));
    }

    @Property
    void network(@ForAll boolean direct, @ForAll @IntRange(max = 255) int tos, @ForAll @IntRange(max = 65535) int length,
            @ForAll @IntRange(max = 65535) int id, @ForAll boolean df, @ForAll @IntRange(max = 255) int ttl, @ForAll int source,
            @ForAll int destination) {
        ByteBuffer b = buffer(direct);
        Ipv4.put(b, AT, tos, length, id, df, ttl, 17, source, destination);
        assertEquals(tos, Ipv4.tos(b, AT));
        assertEquals(length, Ipv4.totalLength(b, AT));
        assertEquals(id, Ipv4.id(b, AT));
        assertEquals(df, Ipv4.dontFragment(b, AT));
        assertEquals(ttl, Ipv4.ttl(b, AT));
        assertEquals(source, Ipv4.source(b, AT));
        assertEquals(destination, Ipv4.destination(b, AT));
        assertTrue(Ipv4.isChecksumValid(b, AT));
        b.putShort(AT + 10, (short) id);
        assertEquals(Ipv4.computeChecksum(b, AT) == id, Ipv4.isChecksumValid(b, AT));
        Udp.put(b, AT, id, length, tos, ttl);
        assertEquals(id, Udp.sourcePort(b, AT));
        assertEquals(length, Udp.destinationPort(b, AT));
        assertEquals(tos, Udp.length(b, AT));
        assertEquals(ttl, Udp.checksum(b, AT));
    }

    @Property
    void link(@ForAll boolean direct, @ForAll @LongRange(max = 0xFFFF_FFFF_FFFFL) long destination,
            @ForAll @LongRange(max = 0xFFFF_FFFF_FFFFL) long source, @ForAll @IntRange(max = 65535) int type,
            @ForAll @IntRange(max = 7) int pcp, @ForAll boolean dei, @ForAll @IntRange(max = 4095) int vid) {
        ByteBuffer b = buffer(direct);
        Ethernet.put(b, AT, destination, source, type);
        assertEquals(destination, Ethernet.destination(b, AT));
        assertEquals(source, Ethernet.source(b, AT));
        assertEquals(type, Ethernet.type(b, AT));
        Vlan.put(b, AT, pcp, dei, vid, type);
        assertEquals(pcp, Vlan.priority(b, AT));
        assertEquals(dei, Vlan.dropEligible(b, AT));
        assertEquals(vid, Vlan.vid(b, AT));
        assertEquals(type, Vlan.type(b, AT));
    }
}
