// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

class ScatterGatherTest {
    private static final int PD = 3;
    private static final int QPN = 0x11;
    private static final byte UNTOUCHED = (byte) 0xa5;

    private final MemoryTable table = new MemoryTable(new SplittableRandom(1), 1 << 19, 1 << 19);
    private final ScatterGather sg = new ScatterGather(table, PD, QPN);

    private static MemorySegment filled(int bytes) {
        MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, bytes), 8);
        return segment.fill(UNTOUCHED);
    }

    private Region register(MemorySegment memory, int access) {
        return table.register(memory, memory.address(), access, PD);
    }

    /** One work request with several elements in several regions, and the memory of each. */
    private final class Elements {
        final MemorySegment[] memory;
        final int[] offset;
        final int[] length;
        final SendRing sends = new SendRing(2, 32, 0);
        final ReceiveRing receives = new ReceiveRing(2, 32);

        Elements(Random random, int count) {
            memory = new MemorySegment[count];
            offset = new int[count];
            length = new int[count];
            SendRequest send = new SendRequest().send();
            ReceiveRequest receive = new ReceiveRequest().begin(0);
            for (int i = 0; i < count; i++) {
                length[i] = random.nextInt(4) == 0 ? 0 : random.nextInt(50);
                offset[i] = random.nextInt(20);
                memory[i] = filled(offset[i] + length[i] + random.nextInt(20));
                Region region = register(memory[i], AccessFlags.LOCAL_WRITE);
                send.element(region.start() + offset[i], length[i], length[i] == 0 ? 0x999 : region.key());
                receive.element(region.start() + offset[i], length[i], length[i] == 0 ? 0x999 : region.key());
            }
            sends.write(send);
            sends.publish();
            receives.write(receive);
            receives.publish();
        }

        int total() {
            return Arrays.stream(length).sum();
        }

        byte[] concatenated() {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < memory.length; i++) {
                all.writeBytes(memory[i].asSlice(offset[i], length[i]).toArray(ValueLayout.JAVA_BYTE));
            }
            return all.toByteArray();
        }

        boolean isUntouchedOutside() {
            for (int i = 0; i < memory.length; i++) {
                for (long at = 0; at < memory[i].byteSize(); at++) {
                    boolean inside = at >= offset[i] && at < offset[i] + length[i];
                    if (!inside && memory[i].get(ValueLayout.JAVA_BYTE, at) != UNTOUCHED) {
                        return false;
                    }
                }
            }
            return true;
        }
    }

    /** Random elements and packet sizes: the same bytes as one flat copy, and no other byte changes. */
    @Property(tries = 500)
    void shouldScatterLikeOneFlatCopy(@ForAll long seed, @ForAll @IntRange(min = 0, max = 32) int count,
                                      @ForAll @IntRange(min = 1, max = 70) int packet) {
        Random random = new Random(seed);
        Elements elements = new Elements(random, count);
        byte[] message = new byte[elements.total()];
        random.nextBytes(message);
        for (int at = 0; at < message.length; at += packet) {
            int bytes = Math.min(packet, message.length - at);
            assertTrue(sg.scatter(elements.receives, 0, at, bytes, MemorySegment.ofArray(message), at));
        }
        assertArrayEquals(message, elements.concatenated());
        assertTrue(elements.isUntouchedOutside());
        assertFalse(sg.scatter(elements.receives, 0, message.length, 1, MemorySegment.ofArray(new byte[1]), 0), "beyond the end");
    }

    @Property(tries = 500)
    void shouldGatherLikeOneFlatCopy(@ForAll long seed, @ForAll @IntRange(min = 0, max = 32) int count) {
        Random random = new Random(seed);
        Elements elements = new Elements(random, count);
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[elements.length[i]];
            random.nextBytes(bytes);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, elements.memory[i], elements.offset[i], bytes.length);
        }
        byte[] whole = elements.concatenated();
        for (int round = 0; round < 10; round++) {
            int from = random.nextInt(whole.length + 1);
            int bytes = random.nextInt(whole.length - from + 1);
            byte[] packet = new byte[bytes + 8];
            Arrays.fill(packet, UNTOUCHED);
            assertTrue(sg.gather(elements.sends, 0, from, bytes, MemorySegment.ofArray(packet), 4));
            assertArrayEquals(Arrays.copyOfRange(whole, from, from + bytes), Arrays.copyOfRange(packet, 4, 4 + bytes));
            for (int i = 0; i < 4; i++) {
                assertTrue(packet[i] == UNTOUCHED && packet[packet.length - 1 - i] == UNTOUCHED);
            }
            byte[] larger = new byte[whole.length + 1];
            assertFalse(sg.gather(elements.sends, 0, from, whole.length - from + 1, MemorySegment.ofArray(larger), 0));
        }
    }

    private boolean sendable(long address, int length, int lkey) {
        SendRing ring = new SendRing(1, 1, 0);
        ring.write(new SendRequest().send().element(address, length, lkey));
        ring.publish();
        boolean checked = sg.check(ring, 0, 0);
        boolean moved = sg.gather(ring, 0, 0, 1, filled(64), 0);
        assertTrue(length == 0 || checked == moved, "check and copy agree");
        return checked;
    }

    private boolean receivable(long address, int length, int lkey) {
        ReceiveRing ring = new ReceiveRing(1, 1);
        ring.write(new ReceiveRequest().begin(0).element(address, length, lkey));
        ring.publish();
        boolean checked = sg.check(ring, 0, AccessFlags.LOCAL_WRITE);
        boolean moved = sg.scatter(ring, 0, 0, 1, filled(64), 0);
        assertTrue(length == 0 || checked == moved, "check and copy agree");
        return checked;
    }

    @Example
    void shouldCheckKeyBoundsDomainAndRights() {
        MemorySegment memory = filled(64);
        Region region = register(memory, AccessFlags.LOCAL_WRITE);
        assertTrue(sendable(region.start(), 64, region.key()));
        assertFalse(sendable(region.start(), 65, region.key()), "too long");
        assertFalse(sendable(region.start() - 1, 2, region.key()), "too early");
        assertFalse(sendable(region.start(), -1, region.key()), "4 GiB - 1");
        assertFalse(sendable(region.start(), 64, region.key() ^ 1), "key byte");
        assertFalse(sendable(region.start(), 64, 0));
        assertTrue(sendable(region.start(), 0, 0), "length 0 needs no key");
        assertTrue(receivable(region.start(), 64, region.key()));

        Region readable = register(memory, 0);
        assertTrue(sendable(readable.start(), 64, readable.key()), "local read is always allowed");
        assertFalse(receivable(readable.start(), 64, readable.key()), "local write is not");

        Region foreign = table.register(memory, memory.address(), AccessFlags.LOCAL_WRITE, PD + 1);
        assertFalse(sendable(foreign.start(), 64, foreign.key()));
    }

    /** Keys of memory windows are valid for remote access only. */
    @Example
    void shouldRefuseTheKeyOfAWindow() {
        Region region = register(filled(64), AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
        int window = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertFalse(sendable(0, 8, window));
        assertTrue(table.bindWindow(window, region, region.start(), 64, AccessFlags.REMOTE_READ, QPN));
        assertFalse(sendable(region.start(), 8, window));
    }

    @Example
    void shouldTouchARegionNoMoreOnceItIsGone() {
        MemorySegment memory = filled(64);
        Region region = register(memory, AccessFlags.LOCAL_WRITE);
        ReceiveRing ring = new ReceiveRing(1, 1);
        ring.write(new ReceiveRequest().begin(0).element(region.start(), 64, region.key()));
        ring.publish();
        assertTrue(sg.scatter(ring, 0, 0, 32, MemorySegment.ofArray(new byte[32]), 0));
        table.remove(region.key());
        assertFalse(sg.scatter(ring, 0, 32, 32, MemorySegment.ofArray(new byte[32]), 0));
        assertTrue(memory.get(ValueLayout.JAVA_BYTE, 31) == 0 && memory.get(ValueLayout.JAVA_BYTE, 32) == UNTOUCHED);
    }

    @Example
    void shouldAnswerFalseWhenTheMemoryWasFreed() {
        Arena arena = Arena.ofShared();
        Region region = register(arena.allocate(64, 8), AccessFlags.LOCAL_WRITE);
        arena.close();
        SendRing ring = new SendRing(1, 1, 0);
        ring.write(new SendRequest().send().element(region.start(), 64, region.key()));
        ring.publish();
        assertFalse(sg.gather(ring, 0, 0, 64, filled(64), 0));
    }

    /** The first element that cannot be used explains the failure; if all can, the last one. */
    @Example
    void shouldExplainByTheFirstElementThatCannotBeUsed() {
        Region good = register(filled(64), AccessFlags.LOCAL_WRITE);
        Region readable = register(filled(64), 0);
        SendRing ring = new SendRing(1, 4, 0);
        ring.write(new SendRequest().send().element(0, 0, 0x777).element(good.start(), 64, good.key())
            .element(readable.start(), 8, readable.key()).element(good.start(), 65, good.key()));
        ring.publish();
        assertEquals(Failure.of(Reason.LKEY_ACCESS, readable.key(), 0, AccessFlags.LOCAL_WRITE),
            sg.explain(ring, 0, AccessFlags.LOCAL_WRITE));
        assertEquals(Failure.of(Reason.LKEY_RANGE, good.key(), good.start(), 64, good.start(), 65), sg.explain(ring, 0, 0));
        table.remove(good.key());
        assertEquals(Failure.of(Reason.LKEY_UNKNOWN, good.key(), good.start(), 64), sg.explain(ring, 0, 0));
    }

    /** No element is refused, so the memory itself must be gone; which one's is not known. */
    @Example
    void shouldExplainByTheLastElementIfAllCanBeUsed() {
        Region first = register(filled(64), 0);
        Region last = register(filled(64), 0);
        SendRing ring = new SendRing(1, 2, 0);
        ring.write(new SendRequest().send().element(first.start(), 64, first.key()).element(last.start(), 32, last.key()));
        ring.publish();
        assertEquals(Failure.of(Reason.LOCAL_MEMORY_GONE, last.key(), last.start(), 32), sg.explain(ring, 0, 0));
    }
}
