// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.mad.Mad;

/** Messages that Linux 6.1's ib_cm sent on rxe, taken from the wire: read field by field, and written again byte by byte. */
class CmGoldenTest {
    private static final int AT = 3;
    private static final long GUEST_GUID = 0x505400fffe123456L;
    private static final long REQ_TRANSACTION = 0x0000_0002_d2cb_2498L;

    /** {@code hex}, zeros up to 256 bytes, all of it at an odd place. */
    private static ByteBuffer mad(String hex) {
        byte[] bytes = Bytes.hex(hex);
        ByteBuffer b = ByteBuffer.allocate(AT + Mad.LENGTH);
        b.put(AT, bytes);
        return b;
    }

    private static final String REQ = """
        01 07 02 03 00 00 00 00 00 00 00 02 d2 cb 24 98
        00 10 00 00 00 00 00 00 98 24 cb d2 00 00 00 00
        00 00 00 00 01 06 1c 06 50 54 00 ff fe 12 34 56
        00 00 00 00 00 00 00 00 00 00 11 01 00 00 00 01
        00 00 00 a0 5d 4b 04 a7 ff ff 57 f0 ff ff ff ff
        00 00 00 00 00 00 00 00 00 00 ff ff 0a 4d 00 02
        00 00 00 00 00 00 00 00 00 00 ff ff 0a 4d 00 01
        66 b6 90 00 00 40 00 98 00 00 00 00 00 00 00 00
        00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
        00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
        00 00 00 00 00 40 b8 3d 00 00 00 00 00 00 00 00
        00 00 00 00 0a 4d 00 02 00 00 00 00 00 00 00 00
        00 00 00 00 0a 4d 00 01""";

    @Test
    void shouldReadTheReqOfRping() {
        ByteBuffer b = mad(REQ);
        assertEquals(CmCheck.OK, CmCheck.verdict(b, AT, Mad.LENGTH));
        assertEquals(CmMessage.REQ, Mad.attribute(b, AT));
        assertEquals(REQ_TRANSACTION, Mad.transactionId(b, AT));
        assertEquals(0x9824cbd2, CmMessage.LOCAL_COMM_ID.get(b, AT));
        assertEquals(ServiceId.of(ServiceId.PORT_SPACE_TCP, 7174), CmReq.SERVICE_ID.getLong(b, AT));
        assertEquals(GUEST_GUID, CmReq.CA_GUID.getLong(b, AT));
        assertEquals(0x11, CmReq.QPN.get(b, AT));
        assertEquals(1, CmReq.RESPONDER_RESOURCES.get(b, AT));
        assertEquals(1, CmReq.INITIATOR_DEPTH.get(b, AT));
        assertEquals(20, CmReq.REMOTE_RESPONSE_TIMEOUT.get(b, AT));
        assertEquals(20, CmReq.LOCAL_RESPONSE_TIMEOUT.get(b, AT));
        assertEquals(CmReq.TRANSPORT_RC, CmReq.TRANSPORT.get(b, AT));
        assertEquals(0, CmReq.FLOW_CONTROL.get(b, AT));
        assertEquals(0x5d4b04, CmReq.STARTING_PSN.get(b, AT));
        assertEquals(7, CmReq.RETRY_COUNT.get(b, AT));
        assertEquals(7, CmReq.RNR_RETRY_COUNT.get(b, AT));
        assertEquals(0xffff, CmReq.PKEY.get(b, AT));
        assertEquals(5, CmReq.MTU.get(b, AT));
        assertEquals(15, CmReq.MAX_CM_RETRIES.get(b, AT));
        assertEquals(0, CmReq.SRQ.get(b, AT));
        assertEquals(0xffff, CmReq.LOCAL_LID.get(b, AT));
        assertEquals(0xffff, CmReq.REMOTE_LID.get(b, AT));
        assertEquals(0, CmReq.LOCAL_GID_HIGH.getLong(b, AT));
        assertEquals(0x0000_ffff_0a4d_0002L, CmReq.LOCAL_GID_LOW.getLong(b, AT));
        assertEquals(0x0000_ffff_0a4d_0001L, CmReq.REMOTE_GID_LOW.getLong(b, AT));
        assertEquals(47165 * 31 + 7174 & 0xfffff, CmReq.FLOW_LABEL.get(b, AT));
        assertEquals(0, CmReq.PACKET_RATE.get(b, AT));
        assertEquals(64, CmReq.HOP_LIMIT.get(b, AT));
        assertEquals(19, CmReq.ACK_TIMEOUT.get(b, AT));
        int header = AT + CmMessage.privateDataOffset(CmMessage.REQ);
        assertTrue(CmIpHeader.isValid(b, header));
        assertEquals(4, CmIpHeader.ipVersion(b, header));
        assertEquals(47165, CmIpHeader.sourcePort(b, header));
        assertEquals(0x0a4d0002, CmIpHeader.sourceIpv4(b, header));
        assertEquals(0x0a4d0001, CmIpHeader.destinationIpv4(b, header));
    }

    @Test
    void shouldWriteTheReqOfRping() {
        ByteBuffer b = Bytes.filled(AT + Mad.LENGTH);
        CmMessage.begin(b, AT, CmMessage.REQ, REQ_TRANSACTION);
        CmMessage.LOCAL_COMM_ID.set(b, AT, 0x9824cbd2);
        CmReq.SERVICE_ID.set(b, AT, 0x01061c06);
        CmReq.CA_GUID.set(b, AT, GUEST_GUID);
        CmReq.QPN.set(b, AT, 0x11);
        CmReq.RESPONDER_RESOURCES.set(b, AT, 1);
        CmReq.INITIATOR_DEPTH.set(b, AT, 1);
        CmReq.REMOTE_RESPONSE_TIMEOUT.set(b, AT, 20);
        CmReq.LOCAL_RESPONSE_TIMEOUT.set(b, AT, 20);
        CmReq.STARTING_PSN.set(b, AT, 0x5d4b04);
        CmReq.RETRY_COUNT.set(b, AT, 7);
        CmReq.RNR_RETRY_COUNT.set(b, AT, 7);
        CmReq.PKEY.set(b, AT, 0xffff);
        CmReq.MTU.set(b, AT, 5);
        CmReq.MAX_CM_RETRIES.set(b, AT, 15);
        CmReq.LOCAL_LID.set(b, AT, 0xffff);
        CmReq.REMOTE_LID.set(b, AT, 0xffff);
        CmReq.LOCAL_GID_LOW.set(b, AT, 0x0000_ffff_0a4d_0002L);
        CmReq.REMOTE_GID_LOW.set(b, AT, 0x0000_ffff_0a4d_0001L);
        CmReq.FLOW_LABEL.set(b, AT, 47165 * 31 + 7174);
        CmReq.HOP_LIMIT.set(b, AT, 64);
        CmReq.ACK_TIMEOUT.set(b, AT, 19);
        CmIpHeader.putIpv4(b, AT + CmMessage.privateDataOffset(CmMessage.REQ), 47165, 0x0a4d0002, 0x0a4d0001);
        assertEquals("a5".repeat(AT) + Bytes.text(mad(REQ), AT, Mad.LENGTH), Bytes.text(b));
    }

    @Test
    void shouldReadAndWriteTheRepOfRping() {
        ByteBuffer b = mad("""
            01 07 02 03 00 00 00 00 ef 3b d1 55 ca dd d2 fb 00 13 00 00 00 00 00 00 9a 24 cb d2 26 fc f9 c3
            00 00 00 00 00 00 12 00 00 00 00 00 3a 73 4f 00 01 01 78 e0 50 54 00 ff fe 12 34 56""");
        assertEquals(CmCheck.OK, CmCheck.verdict(b, AT, Mad.LENGTH));
        assertEquals(0x9a24cbd2, CmMessage.LOCAL_COMM_ID.get(b, AT));
        assertEquals(0x26fcf9c3, CmMessage.REMOTE_COMM_ID.get(b, AT));
        assertEquals(0x12, CmRep.QPN.get(b, AT));
        assertEquals(0x3a734f, CmRep.STARTING_PSN.get(b, AT));
        assertEquals(1, CmRep.RESPONDER_RESOURCES.get(b, AT));
        assertEquals(1, CmRep.INITIATOR_DEPTH.get(b, AT));
        assertEquals(15, CmRep.TARGET_ACK_DELAY.get(b, AT));
        assertEquals(0, CmRep.FAILOVER.get(b, AT));
        assertEquals(7, CmRep.RNR_RETRY_COUNT.get(b, AT));
        assertEquals(0, CmRep.SRQ.get(b, AT));
        assertEquals(GUEST_GUID, CmRep.CA_GUID.getLong(b, AT));
        ByteBuffer own = Bytes.filled(AT + Mad.LENGTH);
        CmMessage.begin(own, AT, CmMessage.REP, Mad.transactionId(b, AT));
        CmMessage.LOCAL_COMM_ID.set(own, AT, 0x9a24cbd2);
        CmMessage.REMOTE_COMM_ID.set(own, AT, 0x26fcf9c3);
        CmRep.QPN.set(own, AT, 0x12);
        CmRep.STARTING_PSN.set(own, AT, 0x3a734f);
        CmRep.RESPONDER_RESOURCES.set(own, AT, 1);
        CmRep.INITIATOR_DEPTH.set(own, AT, 1);
        CmRep.TARGET_ACK_DELAY.set(own, AT, 15);
        CmRep.RNR_RETRY_COUNT.set(own, AT, 7);
        CmRep.CA_GUID.set(own, AT, GUEST_GUID);
        assertEquals(Bytes.text(b, AT, Mad.LENGTH), Bytes.text(own, AT, Mad.LENGTH));
    }

    @Test
    void shouldReadTheDreqOfTheActiveSide() {
        ByteBuffer b = mad("""
            01 07 02 03 00 00 00 00 00 00 00 02 d2 cb 24 98 00 15 00 00 00 00 00 00 98 24 cb d2 76 69 35 a2
            a7 39 5b""");
        assertEquals(CmMessage.DREQ, Mad.attribute(b, AT));
        assertEquals(0x766935a2, CmMessage.REMOTE_COMM_ID.get(b, AT));
        assertEquals(0xa7395b, CmDreq.REMOTE_QPN.get(b, AT));
    }

    @Test
    void shouldReadRejections() {
        ByteBuffer badGid = mad("""
            01 07 02 03 00 00 00 00 a7 be bd b6 1c 08 11 81 00 12 00 00 00 00 00 00 00 00 00 00 1c d6 71 fb
            00 20 00 0c fe 80 00 00 00 00 00 00 50 54 00 ff fe 12 34 56""");
        assertEquals(CmCheck.OK, CmCheck.verdict(badGid, AT, Mad.LENGTH));
        assertEquals(CmMessage.ANSWERS_REQ, CmRej.MESSAGE.get(badGid, AT));
        assertEquals(CmRejectReason.INVALID_GID, CmRej.REASON.get(badGid, AT));
        assertEquals(16, CmRej.INFO_LENGTH.get(badGid, AT));
        assertEquals(0xfe80L << 48, CmRej.INFO_GUID.getLong(badGid, AT));
        assertEquals(GUEST_GUID, CmRej.INFO_GID_LOW.getLong(badGid, AT));
        ByteBuffer nobody = mad("""
            01 07 02 03 00 00 00 00 7d be 4b 35 2e 3e a8 63 00 12 00 00 00 00 00 00 00 00 00 00 58 08 5c bc 00 00 00 08""");
        assertEquals(CmRejectReason.INVALID_SERVICE_ID, CmRej.REASON.get(nobody, AT));
        assertEquals(0, CmRej.INFO_LENGTH.get(nobody, AT));
        assertEquals("invalid service id", CmRejectReason.name(CmRej.REASON.get(nobody, AT)));
    }

    @Test
    void shouldReadTheMraForARepeatedReq() {
        ByteBuffer b = mad("""
            01 07 02 03 00 00 00 00 4c 48 99 66 fc a2 66 93 00 11 00 00 00 00 00 00 66 77 a9 9f 75 df 30 4c 00 c0""");
        assertEquals(CmMessage.MRA, Mad.attribute(b, AT));
        assertEquals(CmMessage.ANSWERS_REQ, CmMra.MESSAGE.get(b, AT));
        assertEquals(24, CmMra.SERVICE_TIMEOUT.get(b, AT));
    }

    @Test
    void shouldReadTheQuestionAndTheAnswerOfUdaddy() {
        ByteBuffer question = mad("""
            01 07 02 03 00 00 00 00 00 00 00 02 c4 09 56 77 00 17 00 00 00 00 00 00 77 56 09 c4 ff ff 00 00
            00 00 00 00 01 11 1c 06 00 40 cd 7a 00 00 00 00 00 00 00 00 00 00 00 00 0a 4d 00 02
            00 00 00 00 00 00 00 00 00 00 00 00 0a 4d 00 01""");
        assertEquals(CmCheck.OK, CmCheck.verdict(question, AT, Mad.LENGTH));
        assertEquals(0x775609c4, CmSidrReq.REQUEST_ID.get(question, AT));
        assertEquals(0xffff, CmSidrReq.PKEY.get(question, AT));
        assertEquals(ServiceId.of(ServiceId.PORT_SPACE_UDP, 7174), CmSidrReq.SERVICE_ID.getLong(question, AT));
        assertEquals(52602, CmIpHeader.sourcePort(question, AT + CmMessage.privateDataOffset(CmMessage.SIDR_REQ)));
        ByteBuffer answer = mad("""
            01 07 02 03 00 00 00 00 b0 5c 71 69 63 24 7c e0 00 18 00 00 00 00 00 00 40 0c c3 54 00 00 00 00
            00 00 12 00 00 00 00 00 01 11 1c 06 01 23 45 67""");
        assertEquals(CmCheck.OK, CmCheck.verdict(answer, AT, Mad.LENGTH));
        assertEquals(0x400cc354, CmSidrRep.REQUEST_ID.get(answer, AT));
        assertEquals(CmSidrRep.VALID, CmSidrRep.STATUS.get(answer, AT));
        assertEquals(0x12, CmSidrRep.QPN.get(answer, AT));
        assertEquals(0x01111c06, CmSidrRep.SERVICE_ID.getLong(answer, AT));
        assertEquals(0x01234567, CmSidrRep.QKEY.get(answer, AT));
    }

    /** Lengths as librdmacm's manual pages and Linux's ib_cm.h have them. */
    @Test
    void shouldKnowHowMuchPrivateDataEachMessageCarries() {
        int[] messages = {CmMessage.REQ, CmMessage.MRA, CmMessage.REJ, CmMessage.REP, CmMessage.RTU, CmMessage.DREQ, CmMessage.DREP,
            CmMessage.SIDR_REQ, CmMessage.SIDR_REP, CmMessage.LAP, CmMessage.APR};
        int[] lengths = {92, 222, 148, 196, 224, 220, 224, 216, 136, 168, 148};
        for (int i = 0; i < messages.length; i++) {
            assertEquals(lengths[i], CmMessage.privateDataLength(messages[i]), CmMessage.name(messages[i]));
            assertEquals(Mad.LENGTH, CmMessage.privateDataOffset(messages[i]) + lengths[i], CmMessage.name(messages[i]));
        }
        assertEquals(CmReq.PRIVATE_DATA_LENGTH, CmMessage.privateDataLength(CmMessage.REQ));
        assertEquals(CmRep.PRIVATE_DATA_LENGTH, CmMessage.privateDataLength(CmMessage.REP));
        assertEquals(CmRej.PRIVATE_DATA_LENGTH, CmMessage.privateDataLength(CmMessage.REJ));
        assertEquals(CmSidrReq.PRIVATE_DATA_LENGTH, CmMessage.privateDataLength(CmMessage.SIDR_REQ));
        assertEquals(CmSidrRep.PRIVATE_DATA_LENGTH, CmMessage.privateDataLength(CmMessage.SIDR_REP));
    }

    @Test
    void shouldKeepPrivateDataInItsPlace() {
        ByteBuffer b = Bytes.filled(AT + Mad.LENGTH + 1);
        CmMessage.begin(b, AT, CmMessage.REJ, 1);
        byte[] data = new byte[CmRej.PRIVATE_DATA_LENGTH];
        data[0] = 1;
        data[147] = 2;
        CmMessage.putPrivateData(b, AT, data);
        assertEquals(1, b.get(AT + 24 + 84));
        assertEquals(2, b.get(AT + 255));
        assertEquals(Bytes.FILL, b.get(AT + 256));
        assertArrayEquals(data, CmMessage.privateData(b, AT));
        assertThrows(IndexOutOfBoundsException.class,
            () -> CmMessage.putPrivateData(b, AT, new byte[149]));
    }

    @Test
    void shouldRefuseWhatIsNoMessage() {
        assertVerdict(CmCheck.BAD_BASE_VERSION, Mad.BASE_VERSION_OFFSET, 2);
        assertVerdict(CmCheck.OTHER_CLASS, Mad.CLASS_OFFSET, 3);
        assertVerdict(CmCheck.BAD_CLASS_VERSION, Mad.CLASS_VERSION_OFFSET, 1);
        assertVerdict(CmCheck.BAD_METHOD, Mad.METHOD_OFFSET, 0x81);
        assertVerdict(CmCheck.UNKNOWN_MESSAGE, Mad.ATTRIBUTE_OFFSET + 1, 0x0f);
        assertVerdict(CmCheck.UNKNOWN_MESSAGE, Mad.ATTRIBUTE_OFFSET + 1, 0x1b);
        assertVerdict(CmCheck.UNKNOWN_MESSAGE, Mad.ATTRIBUTE_OFFSET, 1);
        assertEquals(CmCheck.BAD_LENGTH, CmCheck.verdict(mad(REQ), AT, Mad.LENGTH - 1));
        assertEquals(CmCheck.BAD_LENGTH, CmCheck.verdict(mad(REQ), AT, Mad.LENGTH + 1));
        ByteBuffer rej = ByteBuffer.allocate(AT + Mad.LENGTH);
        CmMessage.begin(rej, AT, CmMessage.REJ, 0);
        CmRej.INFO_LENGTH.set(rej, AT, 72);
        assertEquals(CmCheck.OK, CmCheck.verdict(rej, AT, Mad.LENGTH));
        CmRej.INFO_LENGTH.set(rej, AT, 73);
        assertEquals(CmCheck.BAD_INFO_LENGTH, CmCheck.verdict(rej, AT, Mad.LENGTH));
        assertEquals("bad info length", CmCheck.name(CmCheck.BAD_INFO_LENGTH));
    }

    private static void assertVerdict(int verdict, int offset, int value) {
        ByteBuffer b = mad(REQ);
        b.put(AT + offset, (byte) value);
        assertEquals(CmCheck.name(verdict), CmCheck.name(CmCheck.verdict(b, AT, Mad.LENGTH)));
    }
}
