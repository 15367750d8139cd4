// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.mpa.MpaInitiator;
import org.softrdma.siw.mpa.MpaResponder;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.wire.iwarp.TerminateCode;

/** Start-up frames byte by byte: as kernel siw 6.1 sends and requires them, and as RFC 5044 and RFC 6581 specify them. */
class MpaSetupTest {
    private static final String REQUEST = "4d504120494420526571204672616d65";
    private static final String REPLY = "4d504120494420526570204672616d65";
    private static final int EMSS = 1448;

    private final StreamBuffer out = new StreamBuffer(1024);

    private static MpaOptions options(int revision, boolean crc, boolean markers, MpaOptions.Rtr first) {
        return MpaOptions.DEFAULT.withRevision(revision).withCrc(crc ? MpaOptions.Crc.ON : MpaOptions.Crc.OFF).withMarkers(markers)
            .withRtr(first).withPauseNs(0);
    }

    private static MpaOptions plain() {
        return options(2, false, false, MpaOptions.Rtr.NONE);
    }

    private String written() {
        byte[] bytes = new byte[out.length()];
        out.bytes().get(out.start(), bytes);
        out.clear();
        return HexFormat.of().formatHex(bytes);
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private MpaInitiator initiator(MpaOptions options, int ird, int ord, String reply) {
        MpaInitiator initiator = new MpaInitiator(options, ird, ord);
        initiator.writeRequest(out, new byte[0]);
        out.clear();
        byte[] frame = bytes(reply);
        for (int i = 0; i < frame.length; i++) {
            assertEquals(1, initiator.onBytes(ByteBuffer.wrap(frame), i, i + 1));
            boolean whole = i == frame.length - 1;
            boolean decided = initiator.state() != MpaInitiator.State.WAITING;
            assertTrue(decided == whole || initiator.state() == MpaInitiator.State.FAILED, "after " + (i + 1) + " bytes");
            if (decided) {
                break;
            }
        }
        return initiator;
    }

    private static MpaResponder responder(MpaOptions options, String request) {
        MpaResponder responder = new MpaResponder(options);
        byte[] frame = bytes(request);
        for (int i = 0; i < frame.length; i++) {
            assertTrue(i >= 20 || responder.state() == MpaResponder.State.WAITING || responder.state() == MpaResponder.State.FAILED);
            responder.onBytes(ByteBuffer.wrap(frame), i, i + 1);
        }
        return responder;
    }

    /** The request of {@code rping -c} on siw. */
    @Test
    void shouldAskAsSiwDoes() {
        new MpaInitiator(plain(), 1, 1).writeRequest(out, new byte[0]);
        assertEquals(REQUEST + "10020004" + "00010001", written());
        new MpaInitiator(plain(), 1, 1).writeRequest(out, "abc".getBytes());
        assertEquals(REQUEST + "10020007" + "00010001" + "616263", written());
    }

    @ParameterizedTest
    @CsvSource({"2, true, false, NONE, 5002, 00020003", "2, false, true, NONE, 9002, 00020003", "1, true, true, NONE, c001, ''",
        "2, false, false, WRITE, 1002, 80028003", "2, false, false, READ, 1002, 80024003"})
    void shouldAskForWhatTheOptionsSay(int revision, boolean crc, boolean markers, MpaOptions.Rtr first, String flags,
            String header) {
        new MpaInitiator(options(revision, crc, markers, first), 2, 3).writeRequest(out, new byte[] {0x55});
        assertEquals(REQUEST + flags + String.format("%04x", header.length() / 2 + 1) + header + "55", written());
    }

    /** Kernel siw replies with its own IRD and ORD; each limits the other side. */
    @ParameterizedTest
    @CsvSource({"4, 4, 0004 0000, 4, 0", "1, 9, 0009 0001, 9, 1", "9, 1, 0004 0004, 1, 4", "128, 128, 3fff 3fff, 128, 128",
        "4, 4, 0000 0004, 0, 4"})
    void shouldAgreeOnReads(int ird, int ord, String header, int usedOrd, int usedIrd) {
        MpaInitiator initiator = initiator(plain(), ird, ord, REPLY + "10020004" + header);
        assertEquals(MpaInitiator.State.AGREED, initiator.state());
        Agreement agreement = initiator.agreement(EMSS);
        assertEquals(usedOrd, agreement.ord());
        assertEquals(usedIrd, agreement.ird());
        assertFalse(agreement.parameters().crc());
        assertEquals(1442, agreement.parameters().maxUlpdu());
    }

    @Test
    void shouldUseCrcsIfEitherSideAsks() {
        for (int i = 0; i < 4; i++) {
            MpaInitiator initiator = initiator(options(2, (i & 1) != 0, false, MpaOptions.Rtr.NONE), 1, 1,
                REPLY + ((i & 2) != 0 ? "50" : "10") + "020004 00010001");
            assertEquals(i != 0, initiator.agreement(EMSS).parameters().crc());
            MpaResponder responder = responder(options(2, (i & 1) != 0, false, MpaOptions.Rtr.NONE),
                REQUEST + ((i & 2) != 0 ? "50" : "10") + "020004 00010001");
            assertEquals(i != 0, responder.accept(out, 1, 1, new byte[0], EMSS).parameters().crc());
            assertEquals(REPLY + (i != 0 ? "50" : "10") + "020004" + "00010001", written());
        }
    }

    /** Flag M requests markers in the frames that its sender receives; it is set for each direction independently. */
    @Test
    void shouldSendMarkersToThoseWhoWantThem() {
        StreamParameters asked = initiator(plain(), 1, 1, REPLY + "90020004 00010001").agreement(EMSS).parameters();
        assertTrue(asked.markersOut());
        assertFalse(asked.markersIn());
        assertEquals(1430, asked.maxUlpdu());
        MpaResponder responder = responder(options(2, false, true, MpaOptions.Rtr.NONE), REQUEST + "10020004 00010001");
        StreamParameters own = responder.accept(out, 1, 1, new byte[0], EMSS).parameters();
        assertFalse(own.markersOut());
        assertTrue(own.markersIn());
        assertEquals(REPLY + "90020004" + "00010001", written());
    }

    @ParameterizedTest
    @CsvSource({"10030004 00010001, MPA_BAD_STARTUP_FRAME", "10020004 00010005, MPA_INSUFFICIENT_IRD", "10020000, MPA_BAD_STARTUP_FRAME",
        "10020201, MPA_BAD_STARTUP_FRAME"})
    void shouldNotTakeABadReply(String reply, String code) throws ReflectiveOperationException {
        MpaInitiator initiator = initiator(plain(), 4, 4, REPLY + reply);
        assertEquals(MpaInitiator.State.FAILED, initiator.state());
        assertEquals(TerminateCode.class.getField(code).getInt(null), initiator.failure());
    }

    @Test
    void shouldNotTakeARequestAsReply() {
        assertEquals(TerminateCode.MPA_BAD_STARTUP_FRAME, initiator(plain(), 4, 4, REQUEST + "10020004 00010001").failure());
    }

    @Test
    void shouldLeaveWhatFollowsTheReply() {
        MpaInitiator initiator = new MpaInitiator(plain(), 1, 1);
        byte[] both = bytes(REPLY + "10020006 00010001 6869" + "0012414300");
        assertEquals(26, initiator.onBytes(ByteBuffer.wrap(both), 0, both.length));
        assertEquals(MpaInitiator.State.AGREED, initiator.state());
        assertArrayEquals("hi".getBytes(), initiator.agreement(EMSS).privateData());
        assertEquals(0, initiator.onBytes(ByteBuffer.wrap(both), 26, both.length));
    }

    @ParameterizedTest
    @CsvSource({"30020009 00010001 736f727279, sorry", "30020000, ''", "30020004 00010001, ''"})
    void shouldHearARejection(String reply, String said) {
        MpaInitiator initiator = initiator(plain(), 4, 4, REPLY + reply);
        assertEquals(MpaInitiator.State.REJECTED, initiator.state());
        assertEquals(said, new String(initiator.privateData()));
    }

    @Test
    void shouldTakeAnAnswerOfTheOldRevision() {
        MpaInitiator initiator = initiator(options(1, true, false, MpaOptions.Rtr.NONE), 4, 7, REPLY + "40010002 6869");
        assertEquals(MpaInitiator.State.AGREED, initiator.state());
        Agreement agreement = initiator.agreement(EMSS);
        assertEquals(7, agreement.ord());
        assertEquals(4, agreement.ird());
        assertArrayEquals("hi".getBytes(), agreement.privateData());
    }

    /** The reply selects one of the offered kinds. RFC 6581 §9.2 */
    @ParameterizedTest
    @CsvSource({"WRITE, 80018001, WRITE", "READ, 80014001, READ", "WRITE, 00010001, NONE",
        "WRITE, 80014001, FAILED", "READ, c0010001, FAILED", "NONE, 80018001, NONE"})
    void shouldBeginAPeerToPeerConnectionAsAgreed(MpaOptions.Rtr offered, String header, String expected) {
        MpaInitiator initiator = initiator(options(2, false, false, offered), 4, 4, REPLY + "10020004" + header);
        if (expected.equals("FAILED")) {
            assertEquals(TerminateCode.MPA_NO_MATCHING_RTR, initiator.failure());
        } else {
            assertEquals(MpaOptions.Rtr.valueOf(expected), initiator.agreement(EMSS).first());
        }
    }

    @ParameterizedTest
    @CsvSource({"80010001 , 80010001", "c001c001, 80018001", "c0014001, 80014001", "c0010001, c0010001", "40018001, 00010001"})
    void shouldChooseAFirstMessage(String offered, String chosen) {
        MpaResponder responder = responder(plain(), REQUEST + "10020004" + offered);
        assertEquals(chosen.startsWith("8") || chosen.startsWith("c"), responder.isPeerToPeer());
        responder.accept(out, 1, 1, new byte[0], EMSS);
        assertEquals(REPLY + "10020004" + chosen, written());
    }

    /** Columns: IRD/ORD of the request, ours, of the reply, as used by us. ORD never exceeds the peer's IRD. */
    @ParameterizedTest
    @CsvSource({"0000 0000, 4, 4, 0004 0000, 0", "0080 0080, 4, 4, 0004 0004, 4", "0001 0009, 9, 9, 0009 0001, 1",
        "3fff 3fff, 4, 6, 0004 0006, 6"})
    void shouldAnswerWithItsOwnNumbers(String asked, int ird, int ord, String answered, int used) {
        MpaResponder responder = responder(plain(), REQUEST + "10020004" + asked);
        Agreement agreement = responder.accept(out, ird, ord, new byte[0], EMSS);
        assertEquals(REPLY + "10020004" + answered.replace(" ", ""), written());
        assertEquals(used, agreement.ord());
        assertEquals(ird, agreement.ird());
    }

    @Test
    void shouldSayWhatThePeerAsksFor() {
        MpaResponder responder = responder(plain(), REQUEST + "10020006 0005 3fff 6869");
        assertEquals(MpaResponder.State.REQUESTED, responder.state());
        assertEquals(5, responder.peersIrd());
        assertEquals(128, responder.peersOrd());
        assertArrayEquals("hi".getBytes(), responder.privateData());
    }

    @Test
    void shouldAnswerTheOldRevisionInKind() {
        MpaResponder responder = responder(plain(), REQUEST + "40010002 6869");
        assertArrayEquals("hi".getBytes(), responder.privateData());
        Agreement agreement = responder.accept(out, 3, 5, "yo".getBytes(), EMSS);
        assertEquals(REPLY + "40010002" + "796f", written());
        assertEquals(5, agreement.ord());
        responder(plain(), REQUEST + "00010000").reject(out, "no".getBytes());
        assertEquals(REPLY + "20010002" + "6e6f", written());
    }

    @Test
    void shouldRejectWithTheNumbersInFront() {
        responder(plain(), REQUEST + "10020004 0005 0006").reject(out, "sorry".getBytes());
        assertEquals(REPLY + "30020009" + "00060005" + "736f727279", written());
    }

    @ParameterizedTest
    @CsvSource({"10030004 00010001", "10000000", "10020000", "30020004 00010001", "10020004 00010001 00"})
    void shouldNotAnswerWhatIsNoRequest(String frame) {
        assertEquals(MpaResponder.State.FAILED, responder(plain(), REQUEST + frame).state());
        assertEquals(MpaResponder.State.FAILED, responder(plain(), REPLY + "10020004 00010001").state());
    }
}
