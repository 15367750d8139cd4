// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Header checks as in {@code ib_uverbs_ioctl} of the kernel, attribute checks as in its {@code uverbs_set_attr}. */
class IoctlBundleTest {
    private static final int EINVAL = 22;
    private static final int EPROTONOSUPPORT = 93;
    private static final int PAGE = 4096;
    private static final long CREATE_CQ = IoctlBundle.known(UverbsAttribute.CREATE_CQ_HANDLE, UverbsAttribute.CREATE_CQ_CQE,
        UverbsAttribute.UHW_IN, UverbsAttribute.UHW_OUT);

    private final MemorySegment call = MemorySegment.ofArray(new byte[PAGE]);
    private final IoctlBundle bundle = new IoctlBundle();

    /** A header for some attributes, with the length that belongs to it. */
    private int header(int object, int method, int attributes) {
        int length = 24 + 16 * attributes;
        IoctlHeader.length(call, 0, length);
        IoctlHeader.objectId(call, 0, object);
        IoctlHeader.methodId(call, 0, method);
        IoctlHeader.numAttrs(call, 0, attributes);
        IoctlHeader.driverId(call, 0, UverbsValue.DRIVER_RXE);
        return length;
    }

    private void attribute(int index, int id, int len, int flags, long data) {
        long at = 24 + 16L * index;
        IoctlAttribute.attrId(call, at, id);
        IoctlAttribute.len(call, at, len);
        IoctlAttribute.flags(call, at, flags);
        IoctlAttribute.data(call, at, data);
    }

    @Test
    void shouldFindAttributesByNumber() {
        int length = header(3, 0, 3);
        attribute(0, UverbsAttribute.UHW_OUT, 16, 0, 0x7fff_0000_1000L);
        attribute(1, UverbsAttribute.CREATE_CQ_CQE, 4, 1, 100);
        attribute(2, UverbsAttribute.CREATE_CQ_HANDLE, 0, 1, 0);
        assertTrue(bundle.parse(call, length));
        assertEquals(0, bundle.errno());
        assertEquals(UverbsObject.CQ, bundle.object());
        assertEquals(UverbsMethod.CQ_CREATE, bundle.method());
        assertEquals(14, bundle.driverId());
        assertEquals(3, bundle.count());
        assertEquals(0, bundle.indexOf(UverbsAttribute.UHW_OUT));
        assertEquals(2, bundle.indexOf(UverbsAttribute.CREATE_CQ_HANDLE));
        assertEquals(-1, bundle.indexOf(UverbsAttribute.UHW_IN));
        int cqe = bundle.indexOf(UverbsAttribute.CREATE_CQ_CQE);
        assertEquals(4, bundle.len(cqe));
        assertEquals(1, bundle.flags(cqe));
        assertEquals(100, bundle.data(cqe));
        assertEquals(24 + 16, bundle.attributeOffset(cqe));
        assertEquals(0x7fff_0000_1000L, bundle.data(0));
        assertEquals(0, bundle.refusal(CREATE_CQ));
    }

    @Test
    void shouldRefuseALengthThatContradictsTheNumberOfAttributes() {
        int length = header(3, 0, 2);
        for (int wrong : new int[] {0, 24, length - 1, length + 1, length + 16, 65535}) {
            IoctlHeader.length(call, 0, wrong);
            assertFalse(bundle.parse(call, PAGE), "length " + wrong);
            assertEquals(EINVAL, bundle.errno());
            assertEquals(0, bundle.count());
        }
        IoctlHeader.length(call, 0, length);
        assertTrue(bundle.parse(call, PAGE));
    }

    @Test
    void shouldTakeAsManyAttributesAsAPageHolds() {
        assertEquals(254, IoctlBundle.MAX_ATTRIBUTES);
        assertTrue(bundle.parse(call, header(0, 0, 254)));
        assertEquals(254, bundle.count());
        assertEquals(0, bundle.data(253));
        MemorySegment larger = MemorySegment.ofArray(new byte[2 * PAGE]);
        IoctlHeader.length(larger, 0, header(0, 0, 254) + 16);
        IoctlHeader.numAttrs(larger, 0, 255);
        assertFalse(bundle.parse(larger, 2 * PAGE));
        assertEquals(EINVAL, bundle.errno());
    }

    @Test
    void shouldRefuseACopyThatIsShorterThanTheCall() {
        int length = header(0, 0, 1);
        for (int bytes = 0; bytes < length; bytes++) {
            assertFalse(bundle.parse(call, bytes), bytes + " bytes");
        }
        assertTrue(bundle.parse(call, length));
        assertFalse(bundle.parse(call.asSlice(0, length - 1), length), "more bytes than the segment has");
    }

    @Test
    void shouldRefuseReservedBitsOfTheHeader() {
        int length = header(0, 0, 0);
        IoctlHeader.reserved1(call, 0, 1L << 63);
        assertFalse(bundle.parse(call, length));
        assertEquals(EPROTONOSUPPORT, bundle.errno());
        IoctlHeader.reserved1(call, 0, 0);
        IoctlHeader.reserved2(call, 0, 1);
        assertFalse(bundle.parse(call, length));
        assertEquals(EPROTONOSUPPORT, bundle.errno());
        IoctlHeader.reserved2(call, 0, 0);
        assertTrue(bundle.parse(call, length));
    }

    @Test
    void shouldIgnoreUnknownAttributesUnlessTheyAreMandatory() {
        for (int unknown : new int[] {2, 31, 32, 0x0FFF, 0x1002, 0x101F, 0x1020, 0xFFFF}) {
            int length = header(3, 0, 2);
            attribute(0, UverbsAttribute.CREATE_CQ_CQE, 4, 1, 1);
            attribute(1, unknown, 0, 0, 0);
            assertTrue(bundle.parse(call, length));
            assertEquals(0, bundle.refusal(CREATE_CQ), "attribute " + unknown);
            attribute(1, unknown, 0, IoctlAttribute.MANDATORY, 0);
            assertEquals(EPROTONOSUPPORT, bundle.refusal(CREATE_CQ), "attribute " + unknown);
        }
    }

    @Test
    void shouldRefuseAKnownAttributeThatIsThereTwice() {
        int length = header(3, 0, 3);
        attribute(0, UverbsAttribute.CREATE_CQ_CQE, 4, 0, 1);
        attribute(1, 9, 4, 0, 1);
        attribute(2, 9, 4, 0, 1);
        assertTrue(bundle.parse(call, length));
        assertEquals(0, bundle.refusal(CREATE_CQ), "unknown optional ones may be repeated");
        attribute(2, UverbsAttribute.CREATE_CQ_CQE, 4, 0, 1);
        assertEquals(EINVAL, bundle.refusal(CREATE_CQ));
    }

    @Test
    void shouldRefuseNumbersThatNoMethodHas() {
        assertThrows(IllegalArgumentException.class, () -> IoctlBundle.known(32));
        assertThrows(IllegalArgumentException.class, () -> IoctlBundle.known(-1));
        assertThrows(IllegalArgumentException.class, () -> IoctlBundle.known(0x1020));
    }

    @Test
    void shouldHaveNoAttributesAfterAFailedParse() {
        assertTrue(bundle.parse(call, header(0, 0, 3)));
        assertEquals(3, bundle.count());
        assertFalse(bundle.parse(call, 23));
        assertEquals(-1, bundle.indexOf(0));
        assertThrows(IndexOutOfBoundsException.class, () -> bundle.data(0));
    }

    @Test
    void shouldRefuseIndicesOutsideOfTheCall() {
        assertTrue(bundle.parse(call, header(0, 0, 3)));
        assertThrows(IndexOutOfBoundsException.class, () -> bundle.data(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> bundle.len(3));
        assertThrows(IndexOutOfBoundsException.class, () -> bundle.attributeOffset(Integer.MAX_VALUE));
    }

    /** The verdict of a simple restatement of the rule, for arbitrary numbers; what is accepted can be read to its end. */
    @Property
    void shouldAcceptExactlyTheConsistentLengths(@ForAll @IntRange(min = 0, max = 65535) int length,
            @ForAll @IntRange(min = 0, max = 65535) int attributes, @ForAll @IntRange(min = 0, max = 8192) int bytes,
            @ForAll boolean consistent) {
        MemorySegment copy = MemorySegment.ofArray(new byte[8192]);
        int count = consistent ? attributes % 300 : attributes;
        int total = consistent ? 24 + 16 * count : length;
        IoctlHeader.length(copy, 0, total);
        IoctlHeader.numAttrs(copy, 0, count);
        boolean expected = bytes >= 24 && total == 24L + 16L * count && total <= 4096 && total <= bytes;
        assertEquals(expected, bundle.parse(copy, bytes));
        assertEquals(expected ? count : 0, bundle.count());
        for (int i = 0; i < bundle.count(); i++) {
            assertEquals(0, bundle.data(i));
        }
    }

    @Property
    void shouldFindTheFirstOfAnyAttributes(@ForAll @Size(max = 254) int[] ids, @ForAll @IntRange(min = 0, max = 65535) int wanted) {
        int length = header(0, 0, ids.length);
        int expected = -1;
        for (int i = 0; i < ids.length; i++) {
            // Half of the numbers are small, so that some are found and repeated.
            int id = (i & 1) == 0 ? ids[i] & 0xF : ids[i] & 0xFFFF;
            attribute(i, id, i, 0, ids[i]);
            if (expected < 0 && id == (wanted & 0x1F)) {
                expected = i;
            }
        }
        assertTrue(bundle.parse(call, length));
        assertEquals(expected, bundle.indexOf(wanted & 0x1F));
        for (int i = 0; i < ids.length; i++) {
            assertEquals(i, bundle.len(i));
            assertEquals(ids[i], bundle.data(i));
        }
    }
}
