// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketCheck;
import org.softrdma.wire.roce.RoceFrame;

/** The connections of rping and ucmatose between two kernels. What is expected is what Wireshark 4.0.17's dissector reads in them. */
class CmCaptureTest {
    private static final long GUID = 0x505400fffe770002L;

    /** The MADs of a capture, each at offset 0. */
    private static List<ByteBuffer> mads(String name) throws IOException, URISyntaxException {
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(Files.readAllBytes(Path.of(
            CmCaptureTest.class.getResource("/golden/" + name + ".pcapng").toURI()))));
        RoceFrame frame = new RoceFrame();
        List<ByteBuffer> mads = new ArrayList<>();
        while (reader.next()) {
            ByteBuffer b = reader.buffer();
            frame.dissect(b, reader.linkType(), reader.offset(), reader.length());
            if (Bth.destQp(b, frame.bthAt()) == Mad.GSI_QPN) {
                assertEquals(Mad.GSI_QKEY, Deth.qkey(b, frame.bthAt() + Bth.LENGTH));
                int length = PacketCheck.payloadLength(b, frame.bthAt(), frame.packetLength());
                byte[] mad = new byte[length];
                b.get(frame.bthAt() + Opcode.headerLength(Opcode.UD_SEND_ONLY), mad);
                assertEquals("ok", CmCheck.name(CmCheck.verdict(ByteBuffer.wrap(mad), 0, length)));
                mads.add(ByteBuffer.wrap(mad));
            }
        }
        return mads;
    }

    private static String names(List<ByteBuffer> mads) {
        return String.join(" ", mads.stream().map(mad -> CmMessage.name(Mad.attribute(mad, 0))).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "rping-v4,    1d8ef83e, 7174, 1c, 273eed, 7, 7, c668527f, 1c, 4e27f4, edf9, 4",
        "rping-v6,    1c8ef83e, 7174, 1d, a059de, 7, 7, c468527f, 1d, 5a5c56, d8f0, 6",
        "ucmatose-v4, 1f8ef83e, 7471, 1e, dfc75b, 5, 0, c268527f, 1e, 13c881, 815f, 4"})
    void shouldReadConnectionsAsWiresharkDoes(String name, String commId, int port, String qpn, String psn, int retries, int rnrRetries,
            String peersCommId, String peersQpn, String peersPsn, String sourcePort, int ipVersion) throws IOException, URISyntaxException {
        List<ByteBuffer> mads = mads(name);
        assertEquals("REQ REP RTU DREQ DREP", names(mads));
        ByteBuffer req = mads.getFirst();
        assertEquals(commId, Integer.toHexString(CmMessage.LOCAL_COMM_ID.get(req, 0)));
        assertEquals(ServiceId.of(ServiceId.PORT_SPACE_TCP, port), CmReq.SERVICE_ID.getLong(req, 0));
        assertEquals(GUID, CmReq.CA_GUID.getLong(req, 0));
        assertEquals(qpn, Integer.toHexString(CmReq.QPN.get(req, 0)));
        assertEquals(psn, Integer.toHexString(CmReq.STARTING_PSN.get(req, 0)));
        assertEquals(retries, CmReq.RETRY_COUNT.get(req, 0));
        assertEquals(rnrRetries, CmReq.RNR_RETRY_COUNT.get(req, 0));
        assertEquals(5, CmReq.MTU.get(req, 0));
        assertEquals(19, CmReq.ACK_TIMEOUT.get(req, 0));
        int header = CmMessage.privateDataOffset(CmMessage.REQ);
        assertEquals(ipVersion, CmIpHeader.ipVersion(req, header));
        assertEquals(sourcePort, Integer.toHexString(CmIpHeader.sourcePort(req, header)));
        ByteBuffer rep = mads.get(1);
        assertEquals(peersCommId, Integer.toHexString(CmMessage.LOCAL_COMM_ID.get(rep, 0)));
        assertEquals(commId, Integer.toHexString(CmMessage.REMOTE_COMM_ID.get(rep, 0)));
        assertEquals(peersQpn, Integer.toHexString(CmRep.QPN.get(rep, 0)));
        assertEquals(peersPsn, Integer.toHexString(CmRep.STARTING_PSN.get(rep, 0)));
        assertEquals(15, CmRep.TARGET_ACK_DELAY.get(rep, 0));
        assertEquals(7, CmRep.RNR_RETRY_COUNT.get(rep, 0));
        assertEquals(peersCommId, Integer.toHexString(CmMessage.REMOTE_COMM_ID.get(mads.get(2), 0)));
        assertEquals(qpn, Integer.toHexString(CmDreq.REMOTE_QPN.get(mads.get(3), 0)), "both have the same number");
        assertEquals(Mad.transactionId(mads.get(3), 0), Mad.transactionId(mads.get(4), 0));
    }

    @Test
    void shouldReadAResolutionAsWiresharkDoes() throws IOException, URISyntaxException {
        List<ByteBuffer> mads = mads("udaddy-v4");
        assertEquals("SIDR_REQ SIDR_REP", names(mads));
        assertEquals(CmSidrReq.REQUEST_ID.get(mads.getFirst(), 0), CmSidrRep.REQUEST_ID.get(mads.get(1), 0));
        assertEquals(ServiceId.PORT_SPACE_UDP, ServiceId.portSpace(CmSidrReq.SERVICE_ID.getLong(mads.getFirst(), 0)));
        assertEquals(CmSidrRep.VALID, CmSidrRep.STATUS.get(mads.get(1), 0));
        assertEquals(0x01234567, CmSidrRep.QKEY.get(mads.get(1), 0));
    }
}
