// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.mad.Mad;

/** Fields of REQ and REP that applications set and read, and times derived from them. The offsets are tested in wire-formats. */
class CmFieldsTest {
    private static final byte[] DATA = {1, 2, 3};

    private final ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);

    private static ReqFields.Builder request() {
        return ReqFields.builder().local(new Gid(0x11, 0x12)).remote(new Gid(0x13, 0x14)).serviceId(0x15).transport(CmReq.TRANSPORT_UC)
            .qpn(0x16).startingPsn(0x17).responderResources(0x18).initiatorDepth(0x19).retryCount(1).rnrRetryCount(2).pathMtu(4)
            .pkey(0x1a).trafficClass(0x1b).flowLabel(0x1c).hopLimit(1).ackTimeout(0x1d).localLid(0x1e).remoteLid(0x1f).serviceLevel(5)
            .packetRate(6);
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void shouldReadTheReqThatItWrote(boolean flowControl, boolean srq) {
        ReqFields written = request().flowControl(flowControl).srq(srq).privateData(DATA).build();
        CmMessage.begin(mad, 0, CmMessage.REQ, 1);
        written.put(mad);
        ReqFields read = ReqFields.of(mad);
        assertArrayEquals(Arrays.copyOf(DATA, 92), read.privateData());
        assertEquals(request().flowControl(flowControl).srq(srq).privateData(read.privateData()).build(), read);
    }

    /** IBA annex A16; that Linux writes LIDs of 0xffff where a packet may pass a router was seen in its REQs. */
    @ParameterizedTest
    @CsvSource({"0, 1, 0x1e, 0x1f", "1, 1, 0x1e, 0x1f", "2, 0, 0xffff, 0xffff", "255, 0, 0xffff, 0xffff"})
    void shouldWriteLidsWithinASubnetOnly(int hopLimit, int subnetLocal, int localLid, int remoteLid) {
        CmMessage.begin(mad, 0, CmMessage.REQ, 1);
        request().hopLimit(hopLimit).privateData(DATA).build().put(mad);
        assertEquals(subnetLocal, CmReq.SUBNET_LOCAL.get(mad, 0));
        assertEquals(localLid, CmReq.LOCAL_LID.get(mad, 0));
        assertEquals(remoteLid, CmReq.REMOTE_LID.get(mad, 0));
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void shouldReadTheRepThatItWrote(boolean flowControl, boolean srq) {
        RepFields.Builder builder = RepFields.builder().qpn(0x11).startingPsn(0x12).responderResources(0x13).initiatorDepth(0x14)
            .targetAckDelay(0x15).rnrRetryCount(6).flowControl(flowControl).srq(srq);
        CmMessage.begin(mad, 0, CmMessage.REP, 1);
        builder.privateData(DATA).build().put(mad);
        RepFields read = RepFields.of(mad);
        assertArrayEquals(Arrays.copyOf(DATA, 196), read.privateData());
        assertEquals(builder.privateData(read.privateData()).build(), read);
    }

    /** The exponent nearest to the sum of both times, at most 31: twice the packet life time, and the peer's ACK delay. */
    @Test
    void shouldAddTimesThatAreExponents() {
        for (int life = 0; life < 32; life++) {
            for (int delay = 0; delay < 32; delay++) {
                double sum = 2 * Math.pow(2, life) + Math.pow(2, delay);
                long nearest = Math.round(Math.log(sum) / Math.log(2));
                assertEquals(Math.min(31, nearest), CmSettings.ackTimeout(life, delay), life + " " + delay);
            }
        }
    }

    @Test
    void shouldChangeOneSettingAtATime() {
        CmSettings settings = CmSettings.of(1).withMaxRetries(2).withMaxConnections(3).withMaxOutgoing(4).withMaxAnswered(5)
            .withMaxInFlight(6);
        assertEquals(new CmSettings(1, 20, 18, 15, 2, 3, 4, 5, 6), settings);
    }
}
