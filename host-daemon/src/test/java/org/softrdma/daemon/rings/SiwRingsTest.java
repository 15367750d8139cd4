// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;

/** Rings as libsiw writes and reads them. Offsets and values are those of {@code rdma/siw-abi.h}, written here as numbers. */
final class SiwRingsTest {
    private static final int VALID = 1;
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ObjectTable NOTHING = new ObjectTable() {
        @Override
        public AddressHandle addressHandle(int number) {
            return null;
        }

        @Override
        public MemoryWindow window(int rkey) {
            return null;
        }

        @Override
        public MemoryRegion region(int lkey) {
            return null;
        }
    };

    private final RingSpace space = new RingSpace(Arena.ofAuto().allocate(1 << 16, 4096));
    private final SendRequest request = new SendRequest();
    private final List<String> announced = new ArrayList<>();
    private final PostedSends sends = RingFormat.SIW.sends(space, new QpCapabilities(4, 4, 6, 6, 80));
    private final MemorySegment sendMemory = sends.extent().memory();
    private final RingFormat.Receives receives = RingFormat.SIW.receives(space, 4, 6);
    private final RingCompletions completions = RingFormat.SIW.completions(space, 4, new CompletionEvents() {
        @Override
        public void completed() {
            announced.add("completed");
        }

        @Override
        public void overrun() {
            announced.add("overrun");
        }
    });

    private void send(int slot, long id, int opcode, int elements, int flags) {
        long at = slot * 120L;
        sendMemory.set(U64, at, id);
        sendMemory.set(ValueLayout.JAVA_BYTE, at + 10, (byte) elements);
        sendMemory.set(ValueLayout.JAVA_BYTE, at + 11, (byte) opcode);
        sendMemory.set(U32, at + 12, 0x1234);
        sendMemory.set(U64, at + 16, 0xabcdL);
        for (int i = 0; i < Math.min(elements, 6); i++) {
            sendMemory.set(U64, at + 24 + 16L * i, 1000 + i);
            sendMemory.set(U32, at + 32 + 16L * i, 10 + i);
            sendMemory.set(U32, at + 36 + 16L * i, 77 + i);
        }
        sendMemory.set(U16, at + 8, (short) (flags | VALID));
    }

    @Test
    void shouldHaveTheMappedLengthOfTheLibrary() {
        assertEquals(4 * 120, sends.extent().bytes());
        assertEquals(4 * 112, receives.extent().bytes());
        assertEquals(4 * 32 + 8, completions.extent().bytes());
        assertEquals(8, RingFormat.SIW.grant(new QpCapabilities(5, 1, 1, 1, 0)).maxSendWr());
    }

    /** libsiw takes 0x90000 for "no ring": a program with many queues would be told that it is out of memory. */
    @Test
    void shouldNotPlaceARingWhereTheLibrarySeesNone() {
        RingSpace large = new RingSpace(Arena.ofAuto().allocate(1 << 20, 4096));
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < 255; i++) {
            offsets.add(large.allocate(4096).offset());
        }
        assertFalse(offsets.contains(0x90000L));
        assertEquals(255, offsets.stream().distinct().count());
        assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> large.allocate(1)).errno());
    }

    @Test
    void shouldRefuseMoreThanARecordHolds() {
        for (QpCapabilities each : List.of(new QpCapabilities(1, 1, 7, 1, 0), new QpCapabilities(1, 1, 1, 7, 0),
                new QpCapabilities(1, 1, 1, 1, 81))) {
            assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> RingFormat.SIW.grant(each)).errno());
        }
    }

    @Test
    void shouldTranslateAWriteAndFreeItsSlotWhenItIsAccepted() {
        assertFalse(sends.hasNext());
        send(0, 5, 0, 2, 4 | 16);
        assertTrue(sends.hasNext());
        assertTrue(sends.read(request, NOTHING));
        assertEquals(WrOpcode.RDMA_WRITE, request.opcode());
        assertEquals(5, request.wrId());
        assertEquals(0x1234, request.rkey());
        assertEquals(0xabcd, request.remoteAddress());
        assertEquals(2, request.elements());
        assertEquals(1001, request.address(1));
        assertEquals(11, request.length(1));
        assertEquals(78, request.lkey(1));
        assertEquals(SendFlags.SIGNALED | SendFlags.FENCE, request.flags());
        assertEquals(4 | 16 | VALID, sendMemory.get(U16, 8));
        sends.accept();
        assertEquals(0, sendMemory.get(U16, 8));
        assertFalse(sends.hasNext());
    }

    @Test
    void shouldTranslateTheOtherOperations() {
        send(0, 1, 1, 1, 0);
        send(1, 2, 3, 1, 8);
        send(2, 3, 5, 1, 0);
        List<WrOpcode> seen = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            assertTrue(sends.read(request, NOTHING));
            seen.add(request.opcode());
            sends.accept();
        }
        assertEquals(List.of(WrOpcode.RDMA_READ, WrOpcode.SEND, WrOpcode.SEND_WITH_INV), seen);
        assertEquals(0x1234, request.invalidateRkey());
    }

    @Test
    void shouldReadInlineDataBehindTheFirstElement() {
        send(0, 1, 3, 1, 2);
        sendMemory.set(U32, 32, 80);
        sendMemory.set(U64, 40, 0x1122334455667788L);
        assertTrue(sends.read(request, NOTHING));
        assertEquals(80, request.length(0));
        assertEquals(0x1122334455667788L, request.inlineData(0).get(U64, request.address(0)));
        sendMemory.set(U64, 40, 0);
        assertEquals(0x1122334455667788L, request.inlineData(0).get(U64, request.address(0)));
    }

    @Test
    void shouldRefuseWhatTheLibraryDoesNotWrite() {
        send(0, 9, 3, 1, 2);
        sendMemory.set(U32, 32, 81);
        assertFalse(sends.read(request, NOTHING));
        assertEquals(9, request.wrId());
        sendMemory.set(U32, 32, -1);
        assertFalse(sends.read(request, NOTHING));
        send(0, 9, 3, 7, 0);
        assertFalse(sends.read(request, NOTHING));
        for (int opcode : new int[] {2, 4, 6, 7, 8, 9, 10, 11, 12, 255}) {
            send(0, 9, opcode, 1, 0);
            assertFalse(sends.read(request, NOTHING), "operation " + opcode);
        }
    }

    @Test
    void shouldGoRoundTheRing() {
        for (int i = 0; i < 11; i++) {
            send(i % 4, i, 3, 1, 0);
            assertTrue(sends.read(request, NOTHING));
            assertEquals(i, request.wrId());
            sends.accept();
            sends.release(i + 1);
        }
    }

    @Test
    void shouldDiscardAtMostTheWholeRing() {
        for (int i = 0; i < 4; i++) {
            send(i, i, 3, 1, 0);
        }
        sends.discard();
        assertFalse(sends.hasNext());
        for (int i = 0; i < 4; i++) {
            assertEquals(0, sendMemory.get(U16, i * 120L + 8));
        }
    }

    @Test
    void shouldMoveReceivesOutAndHandTheirSlotsBack() {
        MemorySegment memory = receives.extent().memory();
        ReceiveRing taken = new ReceiveRing(1, 6);
        assertFalse(receives.posted().moveOldestTo(taken));
        for (int i = 0; i < 2; i++) {
            long at = i * 112L;
            memory.set(U64, at, 40 + i);
            memory.set(ValueLayout.JAVA_BYTE, at + 10, (byte) (i == 0 ? 1 : 7));
            memory.set(U64, at + 16, 2000);
            memory.set(U32, at + 24, 100);
            memory.set(U32, at + 28, 3);
            memory.set(U16, at + 8, (short) VALID);
        }
        assertEquals(2, receives.posted().size());
        assertTrue(receives.posted().moveOldestTo(taken));
        assertEquals(0, memory.get(U16, 8));
        assertEquals(1, receives.posted().size());
        assertEquals(40, taken.wrId(0));
        assertEquals(100, taken.length(0));
        taken.release(1);
        // Seven elements are more than a record has: no memory at all.
        assertTrue(receives.posted().moveOldestTo(taken));
        assertEquals(41, taken.wrId(1));
        assertEquals(0, taken.length(1));
    }

    /** A record of libsiw always has room for six elements; the receives of a queue that was made for one have room for one. */
    @Test
    void shouldTakeNoMoreElementsThanTheQueueWasMadeFor() {
        RingFormat.Receives narrow = RingFormat.SIW.receives(space, 4, 1);
        MemorySegment memory = narrow.extent().memory();
        ReceiveRing taken = new ReceiveRing(1, 1);
        memory.set(U64, 0, 50);
        memory.set(ValueLayout.JAVA_BYTE, 10, (byte) 2);
        memory.set(U32, 24, 100);
        memory.set(U32, 40, 100);
        memory.set(U16, 8, (short) VALID);
        assertTrue(narrow.posted().moveOldestTo(taken));
        assertEquals(50, taken.wrId(0));
        assertEquals(0, taken.length(0));
        assertEquals(0, memory.get(U16, 8));
    }

    private boolean push(WcStatus status, boolean solicited) {
        return completions.push(6, status, WcOpcode.RECV, 12, 0, 0x345, 0, 0, solicited);
    }

    @Test
    void shouldWriteCompletionsWhereTheLibraryFindsThem() {
        assertTrue(push(WcStatus.REM_ACCESS_ERR, false));
        assertTrue(completions.push(7, WcStatus.SUCCESS, WcOpcode.RECV, 12, 0x99, 0x345, 0, 8, false));
        MemorySegment memory = completions.extent().memory();
        assertEquals(6, memory.get(U64, 0));
        assertEquals(VALID, memory.get(ValueLayout.JAVA_BYTE, 8));
        assertEquals(8, memory.get(ValueLayout.JAVA_BYTE, 9));
        assertEquals(7, memory.get(U16, 10));
        assertEquals(12, memory.get(U32, 12));
        assertEquals(0x345, memory.get(U64, 24));
        assertEquals(VALID | 32, memory.get(ValueLayout.JAVA_BYTE, 32 + 8));
        assertEquals(0x99, memory.get(U32, 32 + 16));
        assertEquals(2, completions.size());
    }

    @Test
    void shouldAnnounceWhatTheProgramArmedInItsMemory() {
        MemorySegment memory = completions.extent().memory();
        push(WcStatus.SUCCESS, false);
        memory.set(U32, 128, 1);
        push(WcStatus.SUCCESS, false);
        assertEquals(List.of(), announced);
        assertEquals(1, memory.get(U32, 128));
        push(WcStatus.SUCCESS, true);
        assertEquals(List.of("completed"), announced);
        assertEquals(0, memory.get(U32, 128));
        memory.set(U32, 128, 3);
        push(WcStatus.SUCCESS, false);
        assertEquals(2, announced.size());
    }

    @Test
    void shouldOverrunOnceWhenAllSlotsAreFull() {
        for (int i = 0; i < 4; i++) {
            assertTrue(push(WcStatus.SUCCESS, false));
        }
        assertFalse(push(WcStatus.SUCCESS, false));
        assertFalse(push(WcStatus.SUCCESS, false));
        assertEquals(List.of("overrun"), announced);
    }
}
