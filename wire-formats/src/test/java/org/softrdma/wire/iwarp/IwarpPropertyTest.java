// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.softrdma.wire.Bytes;

/** parse(emit(x)) == x. */
class IwarpPropertyTest {
    private static final int AT = 3;

    @Property
    void tagged(@ForAll boolean last, @ForAll @IntRange(max = 15) int opcode, @ForAll int stag, @ForAll long to) {
        ByteBuffer b = Bytes.filled(64);
        TaggedHeader.put(b, AT, last, opcode, stag, to);
        assertEquals(true, Ddp.isTagged(b, AT));
        assertEquals(last, Ddp.isLast(b, AT));
        assertEquals(opcode, Ddp.opcode(b, AT));
        assertEquals(Ddp.VERSION, Ddp.version(b, AT));
        assertEquals(Ddp.RDMAP_VERSION, Ddp.rdmapVersion(b, AT));
        assertEquals(stag, TaggedHeader.stag(b, AT));
        assertEquals(to, TaggedHeader.to(b, AT));
        assertEquals(Bytes.FILL, b.get(AT + TaggedHeader.LENGTH));
    }

    @Property
    void untagged(@ForAll boolean last, @ForAll @IntRange(max = 15) int opcode, @ForAll int stag, @ForAll int qn, @ForAll int msn,
            @ForAll @LongRange(max = 0xFFFF_FFFFL) long mo) {
        ByteBuffer b = Bytes.filled(64);
        UntaggedHeader.put(b, AT, last, opcode, stag, qn, msn, mo);
        assertEquals(false, Ddp.isTagged(b, AT));
        assertEquals(last, Ddp.isLast(b, AT));
        assertEquals(opcode, Ddp.opcode(b, AT));
        assertEquals(stag, UntaggedHeader.invalidateStag(b, AT));
        assertEquals(qn, UntaggedHeader.qn(b, AT));
        assertEquals(msn, UntaggedHeader.msn(b, AT));
        assertEquals(mo, UntaggedHeader.mo(b, AT));
        assertEquals(Bytes.FILL, b.get(AT + UntaggedHeader.LENGTH));
    }

    @Property
    void bodies(@ForAll int stag, @ForAll long to, @ForAll @LongRange(max = 0xFFFF_FFFFL) long size, @ForAll int other, @ForAll long data,
            @ForAll long mask, @ForAll @IntRange(max = 15) int operation) {
        ByteBuffer b = Bytes.filled(64);
        ReadRequest.put(b, AT, stag, to, size, other, data);
        assertEquals(stag, ReadRequest.sinkStag(b, AT));
        assertEquals(to, ReadRequest.sinkTo(b, AT));
        assertEquals(size, ReadRequest.size(b, AT));
        assertEquals(other, ReadRequest.sourceStag(b, AT));
        assertEquals(data, ReadRequest.sourceTo(b, AT));
        AtomicRequest.put(b, AT, operation, other, stag, to, data, mask, ~data, ~mask);
        assertEquals(operation, AtomicRequest.operation(b, AT));
        assertEquals(other, AtomicRequest.requestId(b, AT));
        assertEquals(stag, AtomicRequest.stag(b, AT));
        assertEquals(to, AtomicRequest.to(b, AT));
        assertEquals(data, AtomicRequest.addSwap(b, AT));
        assertEquals(mask, AtomicRequest.addSwapMask(b, AT));
        assertEquals(~data, AtomicRequest.compare(b, AT));
        assertEquals(~mask, AtomicRequest.compareMask(b, AT));
        assertEquals(Bytes.FILL, b.get(AT + AtomicRequest.LENGTH));
        AtomicResponse.put(b, AT, other, data);
        assertEquals(other, AtomicResponse.requestId(b, AT));
        assertEquals(data, AtomicResponse.original(b, AT));
        ImmediateData.put(b, AT, mask);
        assertEquals(mask, ImmediateData.value(b, AT));
    }

    @Property
    void startup(@ForAll @IntRange(max = 255) int flags, @ForAll @IntRange(max = 255) int revision,
            @ForAll @IntRange(max = 0x3FFF) int ird, @ForAll @IntRange(max = 0x3FFF) int ord, @ForAll @IntRange(max = 15) int control) {
        ByteBuffer b = Bytes.filled(64);
        MpaFrame.putReply(b, AT, flags, revision, 4);
        EnhancedHeader.put(b, AT + MpaFrame.LENGTH, ird, ord, control);
        assertEquals(MpaFrame.OK, MpaFrame.check(b, AT, 24, false));
        assertEquals(flags, MpaFrame.flags(b, AT));
        assertEquals(revision, MpaFrame.revision(b, AT));
        assertEquals(ird, EnhancedHeader.ird(b, AT + MpaFrame.LENGTH));
        assertEquals(ord, EnhancedHeader.ord(b, AT + MpaFrame.LENGTH));
        assertEquals(control, EnhancedHeader.control(b, AT + MpaFrame.LENGTH));
    }

    /** A code in siw's order, with the headers it goes with, is the same code. */
    @Property
    void reversedTerminate(@ForAll @IntRange(max = 2) int layer, @ForAll @IntRange(max = 2) int type, @ForAll @IntRange(max = 255) int code,
            @ForAll @IntRange(min = 1, max = 7) int siwFlags) {
        ByteBuffer b = ByteBuffer.allocate(4);
        b.put(0, (byte) (type << 4 | layer)).put(1, (byte) code).put(2, (byte) siwFlags);
        assertEquals(layer << 12 | type << 8 | code, Terminate.code(b, 0));
        assertEquals(Integer.reverse(siwFlags) >>> 24, Terminate.flags(b, 0));
    }

    /** Any one bit turned is seen. */
    @Property
    void crc(@ForAll @Size(min = 4, max = 64) byte[] bytes, @ForAll @IntRange(max = 511) int bit) {
        ByteBuffer b = ByteBuffer.wrap(bytes.clone());
        int before = new MpaCrc().of(b, 0, bytes.length);
        int turned = bit % (8 * bytes.length);
        b.put(turned / 8, (byte) (b.get(turned / 8) ^ 1 << turned % 8));
        assertNotEquals(before, new MpaCrc().of(b, 0, bytes.length));
    }
}
