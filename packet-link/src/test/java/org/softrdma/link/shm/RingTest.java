// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/** Both ends of a ring in one thread, and a reader of what another process might have written instead. */
class RingTest {
    private static final Gid SENDER = Gid.ofIpv4(0x0a000001);
    private static final Gid RECEIVER = Gid.ofIpv4(0x0a000002);

    /** Memory on both sides of the ring, which must stay as it is. */
    private static final int FENCE = 4096;
    private final MemorySegment all = Arena.ofAuto().allocate(FENCE + Ring.FILE_BYTES + FENCE, 4096);
    private final MemorySegment memory = all.asSlice(FENCE, Ring.FILE_BYTES);
    private final ByteBuffer slot = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + ReceivedFrame.MAX_PACKET_BYTES);
    private final MemorySegment slotMemory = MemorySegment.ofBuffer(slot);
    private final ReceivedFrame frame = new ReceivedFrame();
    private final MemorySegment source = Arena.ofAuto().allocate(ReceivedFrame.MAX_PACKET_BYTES);

    private RingWriter writer;
    private RingReader reader;

    private void open() {
        RingWriter.format(memory, SENDER);
        writer = new RingWriter(memory);
        reader = attach();
    }

    private RingReader attach() {
        return RingReader.attach(Path.of("a.ring"), memory, RECEIVER);
    }

    private boolean offer(byte[] packet) {
        MemorySegment.copy(packet, 0, source, ValueLayout.JAVA_BYTE, 0, packet.length);
        return writer.offer(Ring.header(packet.length, true, false, 0, 1, 2), source, 0);
    }

    private int read(FrameHandler handler, int limit) {
        return reader.read(handler, frame, slot, slotMemory, limit);
    }

    private static byte[] copy(ReceivedFrame received) {
        byte[] bytes = new byte[received.length()];
        received.buffer().get(received.offset(), bytes);
        return bytes;
    }

    @Test
    void shouldBeReadOnceAttached() {
        RingWriter.format(memory, SENDER);
        writer = new RingWriter(memory);
        assertFalse(writer.isRead());
        reader = attach();
        assertTrue(writer.isRead());
        assertNull(attach(), "has a reader already");
        reader.close();
        assertFalse(writer.isRead());
        assertTrue(writer.isOver());
    }

    @Test
    void shouldRefuseWhatIsNoRing() {
        assertNull(attach(), "no magic");
        RingWriter.format(memory, Gid.ofIpv4(0xe0000001));
        assertNull(attach(), "from a group");
        RingWriter.format(memory, SENDER);
        assertNull(RingReader.attach(Path.of("a.ring"), memory.asSlice(0, Ring.FILE_BYTES - 8), RECEIVER), "too short");
        assertNotNull(attach());
    }

    @Test
    void shouldCarryTheFieldsOfTheHeadersBefore() {
        open();
        source.fill((byte) 7);
        assertTrue(writer.offer(Ring.header(4480, true, false, 255, 0xffff, 4791), source, 0));
        assertTrue(writer.offer(Ring.header(1, false, true, 0, 0, 0), source, 0));
        List<String> seen = new ArrayList<>();
        assertEquals(2, read(received -> seen.add(received.length() + " " + received.isWithoutIcrc() + " " + received.type() + " "
            + received.trafficClass() + " " + received.sourcePort() + " " + received.destPort() + " " + received.local() + " "
            + new Gid(received.remoteHigh(), received.remoteLow()) + " " + received.ipId()), 10));
        assertEquals(List.of("4480 true " + GidType.ROCE_V2 + " 255 65535 4791 " + RECEIVER + " " + SENDER + " 0",
            "1 false " + GidType.ROCE_V1 + " 0 0 0 " + RECEIVER + " " + SENDER + " 0"), seen);
    }

    /** Random lengths, several times around the ring, in turns of random length: a queue of byte arrays is the model. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldDeliverInOrderWhateverTheLengths(long seed) {
        open();
        Random random = new Random(seed);
        Queue<byte[]> model = new ArrayDeque<>();
        boolean wasFull = false;
        for (long bytes = 0; bytes < 8L * Ring.DATA_BYTES; ) {
            for (int i = random.nextInt(400); i > 0; i--) {
                byte[] packet = new byte[1 + random.nextInt(ReceivedFrame.MAX_PACKET_BYTES)];
                random.nextBytes(packet);
                if (!offer(packet)) {
                    wasFull = true;
                    break;
                }
                model.add(packet);
                bytes += packet.length;
            }
            read(received -> assertArrayEquals(model.remove(), copy(received), "seed " + seed), random.nextInt(400));
        }
        read(received -> assertArrayEquals(model.remove(), copy(received), "seed " + seed), Integer.MAX_VALUE);
        assertTrue(model.isEmpty() && wasFull);
        assertFalse(reader.hasPackets());
    }

    /** A ring that is full holds what it has room for less one header, and takes the next packet when one was read. */
    @Test
    void shouldRefuseWhatFindsNoRoom() {
        open();
        byte[] packet = new byte[4088];
        int fits = Ring.DATA_BYTES / 4096 - 1;
        for (int i = 0; i < fits; i++) {
            assertTrue(offer(packet));
        }
        assertFalse(offer(packet));
        assertFalse(writer.isBroken());
        assertEquals(1, read(received -> { }, 1));
        assertTrue(offer(packet));
        assertFalse(offer(packet));
        assertEquals(fits, read(received -> { }, Integer.MAX_VALUE));
        assertFalse(reader.hasPackets());
    }

    @Test
    void shouldWakeAParkedReaderOnce() {
        open();
        assertTrue(offer(new byte[16]));
        assertFalse(writer.mustWake());
        reader.park();
        assertTrue(reader.hasPackets());
        assertTrue(writer.mustWake());
        assertFalse(writer.mustWake());
        reader.park();
        reader.unpark();
        assertFalse(writer.mustWake());
        reader.park();
        reader.close();
        reader.unpark();
        assertTrue(writer.isOver());
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 24, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40})
    void shouldBreakARingWhoseReaderIsAtAnImpossiblePlace(long consumed) {
        open();
        while (offer(new byte[4000])) {
            assertEquals(0, Ring.get(memory, Ring.CONSUMED_AT));
        }
        assertFalse(writer.isBroken());
        Ring.put(memory, Ring.CONSUMED_AT, 16);
        offer(new byte[4000]);
        assertFalse(writer.isBroken(), "a possible one");
        Ring.put(memory, Ring.CONSUMED_AT, consumed == 24 ? 8 : consumed);
        assertFalse(offer(new byte[4000]));
        assertTrue(writer.isBroken() && writer.isOver() && !writer.isRead());
    }

    @ParameterizedTest
    @ValueSource(longs = {Ring.PADDING, ReceivedFrame.MAX_PACKET_BYTES + 1, 0xffff, 1L << 16, 1L << 63})
    void shouldBreakARingWithAnInvalidHeader(long header) {
        open();
        Ring.put(memory, Ring.DATA_AT, header);
        assertTrue(reader.hasPackets());
        assertEquals(0, read(received -> { }, 10));
        assertTrue(reader.isBroken());
        assertFalse(reader.hasPackets());
    }

    @Test
    void shouldBreakARingWithAPacketBeyondItsEnd() {
        open();
        byte[] packet = new byte[4088];
        for (int i = 0; i < Ring.DATA_BYTES / 4096 - 1; i++) {
            assertTrue(offer(packet));
        }
        assertEquals(255, read(received -> { }, 1000));
        Ring.put(memory, Ring.FILE_BYTES - 4096, 4089);
        assertEquals(0, read(received -> { }, 10));
        assertTrue(reader.isBroken());
    }

    /** Random bytes everywhere but in the magic, changed while they are read: neither end throws, or touches memory beside the ring. */
    @Test
    void shouldSurviveAnyContents() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            memory.fill((byte) 0);
            open();
            scribble(random);
            int[] delivered = {0};
            FrameHandler handler = received -> {
                assertTrue(received.length() > 0 && received.length() <= ReceivedFrame.MAX_PACKET_BYTES);
                delivered[0]++;
                scribble(random);
            };
            for (int i = 0; i < 20; i++) {
                int before = delivered[0];
                assertEquals(read(handler, 50), delivered[0] - before, "seed " + seed);
                offer(new byte[1 + random.nextInt(ReceivedFrame.MAX_PACKET_BYTES)]);
                writer.mustWake();
                scribble(random);
            }
        }
        assertEquals(-1, all.asSlice(0, FENCE).mismatch(MemorySegment.ofArray(new byte[FENCE])));
        assertEquals(-1, all.asSlice(FENCE + Ring.FILE_BYTES).mismatch(MemorySegment.ofArray(new byte[FENCE])));
    }

    private void scribble(Random random) {
        for (int i = random.nextInt(8); i > 0; i--) {
            // Fields, the place that is read next, or any place; a plausible header or any value.
            long at = switch (random.nextInt(3)) {
                case 0 -> 256L * random.nextInt(1, 5);
                case 1 -> Ring.DATA_AT + 8L * random.nextInt(64);
                default -> Ring.DATA_AT + 8L * random.nextInt(Ring.DATA_BYTES / 8);
            };
            Ring.put(memory, at, random.nextBoolean() ? random.nextInt(5000) : random.nextBoolean() ? Ring.PADDING : random.nextLong());
        }
    }
}
