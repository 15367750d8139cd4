// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.iwarp.TerminateCode;

/** Compares framing with a model that builds the stream byte by byte after RFC 5044 §4. */
class FramingTest {
    private final List<String> taken = new ArrayList<>();
    private final BufferPool holds = new BufferPool(Fpdu.MAX_LENGTH, 1);

    /** The verdict if no error was reported. */
    private static final int OK = -1;

    /** Error code that the reader reported last, or OK. */
    private int verdict;

    private final class Handler implements UlpduHandler {
        @Override
        public boolean isReceiving() {
            return verdict == OK;
        }

        @Override
        public boolean onUlpdu(ByteBuffer b, MemorySegment memory, int at, int length) {
            byte[] bytes = new byte[length];
            b.get(at, bytes);
            assertEquals(-1, MemorySegment.ofArray(bytes).mismatch(memory.asSlice(at, length)), "the same bytes twice");
            return taken.add(HexFormat.of().formatHex(bytes));
        }

        @Override
        public void onBadFraming(int code) {
            assertEquals(OK, verdict, "reported once");
            verdict = code;
        }
    }

    private FpduReader reader(boolean crc, boolean markers) {
        verdict = OK;
        FpduReader reader = new FpduReader(new Handler(), holds);
        reader.start(new StreamParameters(crc, false, markers, 1442));
        return reader;
    }

    private int read(FpduReader reader, ByteBuffer b, int from, int to) {
        assertTrue(reader.onBytes(b, MemorySegment.ofBuffer(b), from, to));
        return verdict;
    }

    private int fill(FpduReader reader, int count) {
        reader.onFilled(count);
        return verdict;
    }

    /** Builds the stream one byte at a time, with a marker after every 512 bytes. */
    private static final class Model {
        private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        private final CRC32C sum = new CRC32C();
        private final boolean crc;
        private final boolean markers;
        private int lengthFieldAt;

        Model(boolean crc, boolean markers) {
            this.crc = crc;
            this.markers = markers;
        }

        void frame(byte[] ulpdu) {
            sum.reset();
            lengthFieldAt = -1;
            put(ulpdu.length >>> 8);
            put(ulpdu.length);
            for (byte b : ulpdu) {
                put(b);
            }
            for (int i = 2 + ulpdu.length; i % 4 != 0; i++) {
                put(0);
            }
            mark();
            int value = crc ? (int) sum.getValue() : 0;
            for (int i = 0; i < 4; i++) {
                stream.write(value >>> 8 * i);
            }
        }

        private void put(int value) {
            mark();
            if (lengthFieldAt < 0) {
                lengthFieldAt = stream.size();
            }
            stream.write(value);
            sum.update(value);
        }

        private void mark() {
            if (markers && stream.size() % 512 == 0) {
                int pointer = lengthFieldAt < 0 ? 0 : stream.size() - lengthFieldAt;
                byte[] marker = {0, 0, (byte) (pointer >>> 8), (byte) pointer};
                stream.writeBytes(marker);
                sum.update(marker);
            }
        }
    }

    private static List<byte[]> ulpdus(SplittableRandom random) {
        List<byte[]> all = new ArrayList<>();
        for (int i = random.nextInt(20); i >= 0; i--) {
            byte[] ulpdu = new byte[random.nextInt(10) == 0 ? random.nextInt(65536) : random.nextInt(1 << random.nextInt(1, 12))];
            random.nextBytes(ulpdu);
            all.add(ulpdu);
        }
        return all;
    }

    @Property(tries = 300)
    void shouldWriteWhatTheModelWrites(@ForAll long seed, @ForAll boolean crc, @ForAll boolean markers) {
        SplittableRandom random = new SplittableRandom(seed);
        Model model = new Model(crc, markers);
        FpduWriter writer = new FpduWriter();
        writer.start(new StreamParameters(crc, markers, false, 1442));
        StreamBuffer out = new StreamBuffer(1 << 18);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (byte[] ulpdu : ulpdus(random)) {
            model.frame(ulpdu);
            while (!writer.hasRoom(out, ulpdu.length)) {
                drain(out, written, 1 + random.nextInt(out.length()));
            }
            out.bytes().put(writer.begin(out), ulpdu);
            writer.finish(out, ulpdu.length);
        }
        drain(out, written, out.length());
        assertEquals(HexFormat.of().formatHex(model.stream.toByteArray()), HexFormat.of().formatHex(written.toByteArray()));
    }

    private static void drain(StreamBuffer out, ByteArrayOutputStream into, int count) {
        byte[] bytes = new byte[count];
        out.bytes().get(out.start(), bytes);
        out.took(count);
        into.writeBytes(bytes);
    }

    @Property(tries = 300)
    void shouldReadTheModelsStreamInAnyPieces(@ForAll long seed, @ForAll boolean crc, @ForAll boolean markers) {
        SplittableRandom random = new SplittableRandom(seed);
        Model model = new Model(crc, markers);
        List<byte[]> ulpdus = ulpdus(random);
        ulpdus.forEach(model::frame);
        byte[] stream = model.stream.toByteArray();
        taken.clear();
        FpduReader reader = reader(crc, markers);
        int largest = 1 << random.nextInt(18);
        for (int from = 0; from < stream.length;) {
            int to = Math.min(stream.length, from + 1 + random.nextInt(largest));
            if (reader.pendingBytes() > 0 && random.nextBoolean()) {
                to = Math.min(to, from + reader.pendingBytes());
                MemorySegment.copy(stream, from, reader.pendingBuffer(), ValueLayout.JAVA_BYTE, reader.pendingOffset(), to - from);
                assertEquals(OK, fill(reader, to - from));
            } else {
                ByteBuffer piece = ByteBuffer.wrap(stream);
                assertEquals(OK, read(reader, piece, from, to));
            }
            from = to;
        }
        assertEquals(ulpdus.stream().map(HexFormat.of()::formatHex).toList(), taken);
        assertTrue(reader.isAtBoundary());
    }

    /** Flips one bit anywhere in a frame with CRC: the damaged frame is never delivered. */
    @Property(tries = 300)
    void shouldNotDeliverDamagedFrames(@ForAll long seed, @ForAll boolean markers) {
        SplittableRandom random = new SplittableRandom(seed);
        Model model = new Model(true, markers);
        byte[] ulpdu = new byte[random.nextInt(2000)];
        random.nextBytes(ulpdu);
        model.frame(ulpdu);
        byte[] stream = model.stream.toByteArray();
        int bit = random.nextInt(8 * stream.length);
        stream[bit / 8] ^= (byte) (1 << bit % 8);
        taken.clear();
        FpduReader reader = reader(true, markers);
        ByteBuffer b = ByteBuffer.wrap(stream);
        read(reader, b, 0, stream.length);
        boolean marker = markers && bit / 8 % 512 < 4;
        boolean reserved = marker && bit / 8 % 4 < 2;
        boolean length = !marker && (bit / 8 == (markers ? 4 : 0) || bit / 8 == (markers ? 5 : 1));
        assertEquals(List.of(), taken);
        if (marker && !reserved) {
            assertEquals(TerminateCode.MPA_MARKER_OR_LENGTH, verdict);
        } else if (!length) {
            assertEquals(TerminateCode.MPA_CRC, verdict);
        } else {
            assertTrue(verdict == OK || verdict == TerminateCode.MPA_CRC || verdict == TerminateCode.MPA_MARKER_OR_LENGTH);
        }
    }

    /** A marker directly before a frame contains 0; one inside contains the distance in bytes to the length field, markers included. */
    @Test
    void shouldPointFromMarkersToTheFrame() {
        FpduWriter writer = new FpduWriter();
        writer.start(new StreamParameters(false, true, false, 1442));
        StreamBuffer out = new StreamBuffer(1 << 16);
        writer.begin(out);
        writer.finish(out, 1200);
        ByteBuffer b = out.bytes();
        assertEquals(0x00000000, b.getInt(0));
        assertEquals(1200, b.getShort(4));
        assertEquals(512 - 4, b.getInt(512));
        assertEquals(1024 - 4, b.getInt(1024));
        assertEquals(2 + 1200 + 2 + 4 + 3 * 4, out.length());
        writer.finish(out, 10);
        assertEquals(10, b.getShort(1220), "no marker here");
    }

    /** A frame with n bytes of length field, ULPDU, pad and CRC has a marker after every 508 of them: at most n / 508 + 1. */
    @Test
    void shouldTakeNoFrameWithoutRoomForItsMarkers() {
        FpduWriter writer = new FpduWriter();
        for (int ulpdu : new int[] {0, 1, 498, 501, 502, 505, 506, 1010, 1014, 5000}) {
            int plain = 2 + ulpdu + 3 & ~3;
            int most = plain + 4 + 4 * ((plain + 4) / 508 + 1);
            for (int capacity = plain; capacity <= most + 8; capacity++) {
                writer.start(new StreamParameters(true, true, false, 1442));
                StreamBuffer out = new StreamBuffer(capacity);
                if (writer.hasRoom(out, ulpdu)) {
                    // The stream begins with a marker. An index out of bounds would be thrown here.
                    writer.begin(out);
                    writer.finish(out, ulpdu);
                    assertTrue(out.length() <= capacity);
                } else {
                    assertTrue(capacity < most, capacity + " bytes suffice for " + ulpdu);
                }
            }
            writer.start(new StreamParameters(true, false, false, 1442));
            assertTrue(writer.hasRoom(new StreamBuffer(plain + 4), ulpdu));
            assertFalse(writer.hasRoom(new StreamBuffer(plain + 3), ulpdu));
        }
    }

    /** A new stream begins although the last one ended in the middle of a frame, and after the first bytes of a marker. */
    @Property(tries = 100)
    void shouldForgetTheOldStreamAtTheStartOfANewOne(@ForAll long seed, @ForAll boolean crc, @ForAll boolean markers) {
        SplittableRandom random = new SplittableRandom(seed);
        Model model = new Model(crc, markers);
        byte[] ulpdu = new byte[1 + random.nextInt(2000)];
        random.nextBytes(ulpdu);
        model.frame(ulpdu);
        byte[] stream = model.stream.toByteArray();
        StreamBuffer only = holds.take();
        holds.giveBack(only);
        taken.clear();
        FpduReader reader = reader(crc, markers);
        ByteBuffer b = ByteBuffer.wrap(stream);
        assertEquals(OK, read(reader, b, 0, 1 + random.nextInt(stream.length - 1)));
        assertEquals(List.of(), taken);
        reader.start(new StreamParameters(crc, false, markers, 1442));
        assertTrue(reader.isAtBoundary());
        assertEquals(0, reader.pendingBytes());
        assertSame(only, holds.take(), "the old frame's buffer was given back");
        holds.giveBack(only);
        assertEquals(OK, read(reader, b, 0, stream.length));
        assertEquals(List.of(HexFormat.of().formatHex(ulpdu)), taken);
        assertTrue(reader.isAtBoundary());
    }

    /** The rest of a long frame is read directly behind its beginning; damage is detected as in any other frame. */
    @Test
    void shouldSayWhereTheRestOfALongFrameBelongs() {
        Model model = new Model(true, false);
        model.frame(new byte[60_000]);
        byte[] stream = model.stream.toByteArray();
        FpduReader reader = reader(true, false);
        ByteBuffer b = ByteBuffer.wrap(stream);
        assertEquals(0, reader.pendingBytes());
        assertEquals(OK, read(reader, b, 0, 1));
        assertEquals(0, reader.pendingBytes(), "the length is not known yet");
        assertEquals(OK, read(reader, b, 1, 20));
        assertEquals(stream.length - 20, reader.pendingBytes());
        MemorySegment.copy(stream, 20, reader.pendingBuffer(), ValueLayout.JAVA_BYTE, reader.pendingOffset(), 20_000);
        assertEquals(OK, fill(reader, 20_000));
        assertEquals(stream.length - 20_020, reader.pendingBytes());
        MemorySegment.copy(stream, 20_020, reader.pendingBuffer(), ValueLayout.JAVA_BYTE, reader.pendingOffset(), reader.pendingBytes());
        reader.pendingBuffer().set(ValueLayout.JAVA_BYTE, 30_000, (byte) 1);
        assertEquals(TerminateCode.MPA_CRC, fill(reader, reader.pendingBytes()));
        assertEquals(List.of(), taken);
    }

    /** Damage is reported the same way if the frame is received in pieces. */
    @Test
    void shouldReportDamageOfAFrameInPieces() {
        Model model = new Model(true, false);
        model.frame(new byte[100]);
        byte[] stream = model.stream.toByteArray();
        stream[50] ^= 1;
        for (int cut = 1; cut < stream.length; cut++) {
            FpduReader reader = reader(true, false);
            ByteBuffer b = ByteBuffer.wrap(stream);
            assertEquals(OK, read(reader, b, 0, cut));
            assertFalse(reader.isAtBoundary());
            assertEquals(TerminateCode.MPA_CRC, read(reader, b, cut, stream.length));
        }
        assertEquals(List.of(), taken);
    }

    /** Frames with at least this much missing are read directly behind their beginning. */
    @Test
    void shouldFillFramesThatAreWorthIt() {
        Model model = new Model(true, false);
        model.frame(new byte[FpduReader.WORTH_FILLING + 10]);
        byte[] stream = model.stream.toByteArray();
        int cut = stream.length - FpduReader.WORTH_FILLING;
        FpduReader reader = reader(true, false);
        ByteBuffer b = ByteBuffer.wrap(stream);
        assertEquals(OK, read(reader, b, 0, cut));
        assertEquals(FpduReader.WORTH_FILLING, reader.pendingBytes());
        assertEquals(OK, read(reader, b, cut, cut + 1));
        assertEquals(0, reader.pendingBytes());
    }

    /** A reader owns a buffer only while it is in the middle of a frame. */
    @Test
    void shouldNeedABufferOnlyWithinAFrame() {
        StreamBuffer only = holds.take();
        holds.giveBack(only);
        FpduReader reader = reader(false, false);
        ByteBuffer b = ByteBuffer.allocateDirect(12).putShort(0, (short) 5);
        assertEquals(OK, read(reader, b, 0, 1));
        assertNotSame(only, holds.take());
        assertEquals(OK, read(reader, b, 1, 12));
        assertSame(only, holds.take());
        assertEquals(1, taken.size());
        holds.giveBack(only);
        read(reader, b, 0, 7);
        reader.forget();
        assertSame(only, holds.take());
    }
}
