// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames made byte by byte, with a CRC computed bit by bit. Source: RFC 5044 §4.2 to §4.4, and appendix A for the CRC's byte order. */
class FpduCutterTest {
    private static final int POLYNOMIAL = 0x82f6_3b78;
    private static final int MARKER_DISTANCE = 512;

    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
    private final List<byte[]> ulpdus = new ArrayList<>();
    private final List<Long> ends = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();

    private FpduCutter cutter(boolean crc, boolean markers) {
        return new FpduCutter(crc, markers, new FpduCutter.Handler() {
            @Override
            public void onUlpdu(byte[] ulpdu, long endsAt) {
                ulpdus.add(ulpdu);
                ends.add(endsAt);
            }

            @Override
            public void onBadFrame(String what) {
                complaints.add(what);
            }
        });
    }

    private static byte[] ulpdu(int bytes) {
        byte[] ulpdu = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            ulpdu[i] = (byte) (i + 1);
        }
        return ulpdu;
    }

    /** The length field, the ULPDU, zero pad up to a multiple of four. */
    private static byte[] unsealed(int ulpduBytes) {
        byte[] bytes = new byte[(2 + ulpduBytes + 3) / 4 * 4];
        bytes[0] = (byte) (ulpduBytes >>> 8);
        bytes[1] = (byte) ulpduBytes;
        System.arraycopy(ulpdu(ulpduBytes), 0, bytes, 2, ulpduBytes);
        return bytes;
    }

    private static int crc32c(byte[] bytes) {
        int crc = -1;
        for (byte each : bytes) {
            crc ^= each & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) != 0 ? crc >>> 1 ^ POLYNOMIAL : crc >>> 1;
            }
        }
        return ~crc;
    }

    /** Low byte first. */
    private void writeCrc(int crc) {
        for (int i = 0; i < 4; i++) {
            stream.write(crc >>> 8 * i);
        }
    }

    private void writeFrame(int ulpduBytes) {
        byte[] bytes = unsealed(ulpduBytes);
        stream.writeBytes(bytes);
        writeCrc(crc32c(bytes));
    }

    /** Writes a frame of a stream with markers, which are four bytes at each multiple of 512, part of the CRC, and not of the length. */
    private void writeMarkedFrame(int ulpduBytes, int addedToPointers) {
        byte[] bytes = unsealed(ulpduBytes);
        ByteArrayOutputStream summed = new ByteArrayOutputStream();
        int begin = -1;
        for (byte each : bytes) {
            if (stream.size() % MARKER_DISTANCE == 0) {
                int pointer = begin < 0 ? 0 : stream.size() - begin + addedToPointers;
                byte[] marker = {0, 0, (byte) (pointer >>> 8), (byte) pointer};
                stream.writeBytes(marker);
                summed.writeBytes(marker);
            }
            begin = begin < 0 ? stream.size() : begin;
            stream.write(each);
            summed.write(each);
        }
        assertTrue(stream.size() % MARKER_DISTANCE != 0, "no marker directly before the CRC");
        writeCrc(crc32c(summed.toByteArray()));
    }

    @Test
    void shouldCutFramesWhereverTheStreamIsSplit() {
        writeFrame(14);
        writeFrame(0);
        writeFrame(21);
        byte[] bytes = stream.toByteArray();
        for (int split = 0; split <= bytes.length; split++) {
            ulpdus.clear();
            ends.clear();
            FpduCutter cutter = cutter(true, false);
            cutter.accept(Arrays.copyOf(bytes, split));
            cutter.accept(Arrays.copyOfRange(bytes, split, bytes.length));
            assertEquals(List.of(20L, 28L, 56L), ends);
            for (int i = 0; i < 3; i++) {
                assertArrayEquals(ulpdu(List.of(14, 0, 21).get(i)), ulpdus.get(i));
            }
            assertTrue(cutter.isAtBoundary());
        }
        assertEquals(List.of(), complaints);
    }

    @Test
    void shouldKnowTheMiddleOfAFrame() {
        writeFrame(14);
        byte[] bytes = stream.toByteArray();
        for (int length = 0; length <= bytes.length; length++) {
            FpduCutter cutter = cutter(true, false);
            cutter.accept(Arrays.copyOf(bytes, length));
            assertEquals(length == 0 || length == bytes.length, cutter.isAtBoundary());
        }
    }

    @Test
    void shouldComplainOfAnyWrongBitOfAFrame() {
        writeFrame(14);
        byte[] bytes = stream.toByteArray();
        for (int bit = 16; bit < 8 * bytes.length; bit++) {
            complaints.clear();
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            cutter(true, false).accept(damaged);
            assertEquals(1, complaints.size());
            assertTrue(complaints.getFirst().startsWith("CRC of the frame at 0 is 0x"), complaints.toString());
        }
    }

    @Test
    void shouldRequireAZeroFieldWithoutCrc() {
        byte[] bytes = unsealed(14);
        stream.writeBytes(bytes);
        writeCrc(0);
        stream.writeBytes(bytes);
        writeCrc(0x0100_0000);
        cutter(false, false).accept(stream.toByteArray());
        assertEquals(List.of("CRC of the frame at 20 is 0x1000000 instead of 0x0"), complaints);
        assertEquals(2, ulpdus.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {15, 16, 17})
    void shouldRequireZeroPad(int ulpduBytes) {
        byte[] bytes = unsealed(ulpduBytes);
        int pad = bytes.length - 2 - ulpduBytes;
        for (int i = 1; i <= pad; i++) {
            complaints.clear();
            stream.reset();
            byte[] padded = bytes.clone();
            padded[padded.length - i] = (byte) 0x80;
            stream.writeBytes(padded);
            writeCrc(crc32c(padded));
            cutter(true, false).accept(stream.toByteArray());
            assertEquals(List.of("pad of 0x80 at 0"), complaints);
        }
    }

    @Test
    void shouldTakeMarkersOutAndIntoTheCrc() {
        writeMarkedFrame(1600, 0);
        writeMarkedFrame(30, 0);
        FpduCutter cutter = cutter(true, true);
        cutter.accept(stream.toByteArray());
        assertEquals(List.of(), complaints);
        assertArrayEquals(ulpdu(1600), ulpdus.getFirst());
        assertArrayEquals(ulpdu(30), ulpdus.getLast());
        assertEquals(List.of(1624L, 1660L), ends);
        assertTrue(cutter.isAtBoundary());

        byte[] bytes = stream.toByteArray();
        bytes[MARKER_DISTANCE + 1] ^= 1;
        cutter(true, true).accept(bytes);
        assertTrue(complaints.getLast().startsWith("CRC of the frame at 4 is 0x"), complaints.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {-4, 4})
    void shouldRequireMarkersThatPointToTheLengthField(int added) {
        writeMarkedFrame(600, added);
        cutter(true, true).accept(stream.toByteArray());
        assertEquals(List.of("marker at 512 is 0x" + Integer.toHexString(508 + added) + " instead of 508"), complaints);
    }

    /** The pointer of a marker between two frames is zero. */
    @Test
    void shouldRequireAMarkerOfZeroBeforeAFrame() {
        writeMarkedFrame(14, 0);
        byte[] bytes = stream.toByteArray();
        bytes[3] = 4;
        cutter(true, true).accept(bytes);
        assertEquals("marker at 0 is 0x4 instead of 0", complaints.getFirst());
        assertFalse(ulpdus.isEmpty());
    }

    /** Of the longest ULPDU, whose length fills the field. */
    @Test
    void shouldTakeTheLongestFrame() {
        writeFrame(0xffff);
        cutter(true, false).accept(stream.toByteArray());
        assertEquals(List.of(), complaints);
        assertEquals(0xffff, ulpdus.getFirst().length);
    }
}
