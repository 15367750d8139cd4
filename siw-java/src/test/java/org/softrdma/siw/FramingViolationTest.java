// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.siw.ViolationScene.RECEIVE_BYTES;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.siw.ViolationScene.Refusal;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** Violations of RFC 5044's framing, and the peer's Terminates, which need frames only. {@link RequestViolationTest} has the requests. */
class FramingViolationTest {
    private static final String SEND = RawSegment.send(1, "61626364");
    private static final List<WcStatus> FLUSHED = List.of(WcStatus.WR_FLUSH_ERR);

    // ---- RFC 5044 §4: framing ----

    private static ViolationScene framed(Consumer<SiwPair.Setup> change) {
        ViolationScene s = new ViolationScene(false, change);
        s.postReceive(RECEIVE_BYTES);
        return s;
    }

    /** One bit of a frame is wrong, anywhere but in the length field. */
    @Test
    void shouldRefuseADamagedFrame() {
        int length = framed(setup -> { }).peer.frame(RawPeer.bytes(SEND)).length;
        for (int bit = 8 * 2; bit < 8 * length; bit++) {
            ViolationScene s = framed(setup -> { });
            byte[] frame = s.peer.frame(RawPeer.bytes(SEND));
            frame[bit / 8] ^= (byte) (1 << bit % 8);
            s.assertRefusedBytes(Refusal.CRC, "", frame, List.of(), FLUSHED);
            assertEquals(0, s.peer.side.counter("rcvd_fpdus"));
        }
    }

    /** RFC 5044 §4.4: the CRC is sent with its least significant byte first. */
    @Test
    void shouldRefuseACrcInTheOtherByteOrder() {
        ViolationScene s = framed(setup -> { });
        byte[] frame = s.peer.frame(RawPeer.bytes(SEND));
        ByteBuffer b = ByteBuffer.wrap(frame);
        b.putInt(frame.length - 4, Integer.reverseBytes(b.getInt(frame.length - 4)));
        s.assertRefusedBytes(Refusal.CRC, "", frame, List.of(), FLUSHED);
    }

    /** The pad is covered by the CRC and otherwise not examined; without CRCs, that field is not examined either. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTakeAnyPad(boolean crc) {
        ViolationScene s = framed(setup -> setup.crc = crc);
        ByteBuffer b = ByteBuffer.wrap(s.peer.frame(RawPeer.bytes(RawSegment.send(1, "616263"))));
        int covered = b.capacity() - 4;
        b.put(covered - 1, (byte) 0x77);
        CRC32C sum = new CRC32C();
        sum.update(b.array(), 0, covered);
        b.putInt(covered, crc ? Integer.reverseBytes((int) sum.getValue()) : 0x12345678);
        s.peer.sendBytes(b.array());
        assertEquals(List.of(WcStatus.SUCCESS), s.peer.side.receiveStatuses());
        s.assertGoesOn();
    }

    /**
     * Columns: CRCs, pointer of the marker in front of the frame, pointer of the marker at 512; RFC 5044 §4.3: 0, and 508 bytes since the
     * length field.
     */
    @ParameterizedTest
    @CsvSource({"false, 4, 508", "false, 0xffff, 508", "false, 0, 507", "false, 0, 509", "false, 0, 512", "false, 0, 0", "true, 4, 508",
        "true, 0, 512"})
    void shouldRefuseAWrongMarker(boolean crc, String first, String second) {
        ViolationScene s = framed(setup -> {
            setup.crc = crc;
            setup.markersToA = true;
        });
        byte[] stream = marked(s, Integer.decode(first), Integer.decode(second));
        s.assertRefusedBytes(Refusal.MARKER_OR_LENGTH, "", stream, List.of(), FLUSHED);
        assertEquals(0, s.peer.side.counter("rcvd_fpdus"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTakeRightMarkers(boolean crc) {
        ViolationScene s = framed(setup -> {
            setup.crc = crc;
            setup.markersToA = true;
        });
        s.peer.sendBytes(marked(s, 0, 508));
        assertEquals("61".repeat(600), HexFormat.of().formatHex(s.target.memory().asSlice(0, 600).toArray(ValueLayout.JAVA_BYTE)));
        assertEquals(QpState.RTS, s.peer.side.qp.state());
        assertEquals(0, s.peer.side.counter("bad_framing") + s.peer.side.counter("bad_crc"));
    }

    /** Makes the first frame of a stream with markers, a WRITE of 600 bytes, whose reserved marker bits are set. */
    private static byte[] marked(ViolationScene s, int first, int second) {
        byte[] plain = RawPeer.frame(RawPeer.bytes(RawSegment.write(s.target.rkey(), s.target.address(), "61".repeat(600))), false);
        ByteBuffer b = ByteBuffer.allocate(plain.length + 2 * 4);
        b.putShort((short) 0xabcd).putShort((short) first).put(plain, 0, 508).putShort((short) 0xabcd).putShort((short) second)
            .put(plain, 508, plain.length - 508);
        int covered = b.capacity() - 4;
        if (s.setup.crc) {
            CRC32C sum = new CRC32C();
            sum.update(b.array(), 0, covered);
            b.putInt(covered, Integer.reverseBytes((int) sum.getValue()));
        }
        return b.array();
    }

    /** A peer that agreed on markers and sends none. */
    @Test
    void shouldRefuseAFrameWithoutMarkers() {
        ViolationScene s = framed(setup -> setup.markersToA = true);
        s.assertRefusedBytes(Refusal.MARKER_OR_LENGTH, "", s.peer.frame(RawPeer.bytes(SEND)), List.of(), FLUSHED);
    }

    // ---- the peer's Terminate ----

    /**
     * A Terminate is never answered: code, headers, what they contain, and the status of the READ that was outstanding. Columns: code,
     * header control, request that is contained (a READ of this size, or none), status.
     */
    @ParameterizedTest
    @CsvSource({"0100, e0, 8, REM_ACCESS_ERR", "0101, e0, 8, REM_ACCESS_ERR", "0102, e0, 8, REM_ACCESS_ERR", "0103, e0, 8, REM_ACCESS_ERR",
        "0104, e0, 8, REM_ACCESS_ERR", "01ff, e0, 8, REM_ACCESS_ERR", "0206, e0, 8, REM_OP_ERR", "0207, e0, 8, REM_OP_ERR",
        "1202, e0, 8, REM_OP_ERR", "1203, e0, 8, REM_OP_ERR", "0100, e0, 9, WR_FLUSH_ERR", "0100, c0, 8, WR_FLUSH_ERR",
        "0100, 80, 8, WR_FLUSH_ERR", "0100, 00, -1, WR_FLUSH_ERR", "2002, 00, -1, WR_FLUSH_ERR", "3f77, 00, -1, WR_FLUSH_ERR",
        "0100, e0, -1, WR_FLUSH_ERR", "0100, 20, 8, WR_FLUSH_ERR"})
    void shouldEndAsThePeerDoes(String code, String headers, int size, WcStatus status) {
        ViolationScene s = framed(setup -> { });
        MemoryRegion sink = s.open(AccessFlags.LOCAL_WRITE);
        s.peer.side.qp.postSend(new SendRequest().read(0x9000, 0x99).element(sink, 0, 8));
        String request = s.peer.next();
        String blamed = size < 0 ? "" : request.substring(0, 60) + String.format("%08x", size) + request.substring(68);
        s.peer.send(RawSegment.untagged(RawSegment.TERMINATE, 1).with(code + headers + "00" + (size < 0 ? "" : "002e") + blamed));
        assertNull(s.peer.next());
        assertEquals(QpState.ERR, s.peer.side.qp.state());
        assertTrue(s.peer.stream.closed);
        assertEquals(List.of(status), s.peer.side.sendStatuses());
        assertEquals(FLUSHED, s.peer.side.receiveStatuses());
        assertEquals(List.of(AsyncEventType.QP_FATAL), s.peer.side.events());
        assertEquals(Integer.parseInt(code, 16), s.peer.side.qp.machine().terminatedBy());
        assertEquals(1, s.peer.side.counter("rcvd_terminates"));
        assertEquals(0, s.peer.side.counter("sent_terminates"));
    }
}
