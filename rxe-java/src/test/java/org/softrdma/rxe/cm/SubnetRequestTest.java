// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.mad.Mad;

/** Requests on an InfiniBand subnet: messages go by LID, queue pairs have LIDs and GIDs. Offsets are those of IBA vol 1 table 99. */
class SubnetRequestTest {
    private static final int ACTIVE_LID = 0x0004;
    private static final int PASSIVE_LID = 0x0006;
    private static final int OTHER_LID = 0x0007;
    private static final int MAD_HEADER = 24;
    private static final Gid ACTIVE = new Gid(0xFE80_0000_0000_0000L, 0x2_5000_0010_0001L);
    private static final Gid PASSIVE = new Gid(0xFE80_0000_0000_0000L, 0x2_5000_0010_0003L);
    private static final GidPair FROM_ACTIVE = new GidPair(GidType.IB, Gid.ofLid(ACTIVE_LID), Gid.ofLid(PASSIVE_LID));

    private final CommunicationManager active = new CommunicationManager(CmSettings.of(1), new SplittableRandom(1), ACTIVE::equals);
    private final CommunicationManager passive = new CommunicationManager(CmSettings.of(2), new SplittableRandom(2), PASSIVE::equals);
    private Connection requested;

    SubnetRequestTest() {
        passive.listen(CmHost.SERVICE, new RequestListener() {
            @Override
            public RequestVerdict onRequest(Connection connection) {
                requested = connection;
                return RequestVerdict.TAKEN;
            }

            @Override
            public RequestVerdict onSidrRequest(SidrRequest request) {
                return RequestVerdict.REFUSED;
            }
        });
    }

    private ByteBuffer request(Gid to) {
        return request(to, 0xFFFF);
    }

    private ByteBuffer request(Gid to, int pkey) {
        ReqFields fields = ReqFields.builder().local(ACTIVE).remote(to).localLid(ACTIVE_LID).remoteLid(PASSIVE_LID).serviceLevel(5)
            .packetRate(3).serviceId(CmHost.SERVICE).qpn(0x123).pathMtu(4).pkey(pkey).ackTimeout(19).build();
        active.connect(0, FROM_ACTIVE, fields, null);
        OutgoingMad sent = active.nextOutgoing();
        assertEquals(FROM_ACTIVE, sent.gids());
        return sent.mad();
    }

    private void deliver(int fromLid, ByteBuffer mad) {
        passive.onMad(0, new GidPair(GidType.IB, Gid.ofLid(PASSIVE_LID), Gid.ofLid(fromLid)), mad);
    }

    @Test
    void shouldDescribeThePathWithinTheSubnet() {
        ByteBuffer mad = request(PASSIVE);
        assertEquals(ACTIVE_LID, mad.getShort(MAD_HEADER + 52));
        assertEquals(PASSIVE_LID, mad.getShort(MAD_HEADER + 54));
        assertEquals(ACTIVE.low(), mad.getLong(MAD_HEADER + 64));
        assertEquals(PASSIVE.low(), mad.getLong(MAD_HEADER + 80));
        assertEquals(3, mad.get(MAD_HEADER + 91), "flow label 0, rate");
        assertEquals(0, mad.get(MAD_HEADER + 93), "hop limit");
        assertEquals(0x58, mad.get(MAD_HEADER + 94), "service level 5, subnet local");
    }

    @Test
    void shouldKnowThePeersPortByItsLid() {
        deliver(ACTIVE_LID, request(PASSIVE));
        assertEquals(ACTIVE_LID, requested.request().localLid());
        assertEquals(PASSIVE_LID, requested.request().remoteLid());
        assertEquals(5, requested.request().serviceLevel());
        assertEquals(new GidPair(GidType.IB, Gid.ofLid(PASSIVE_LID), Gid.ofLid(ACTIVE_LID)), requested.gids());
    }

    /** Otherwise a port could have a third one flooded. */
    @Test
    void shouldRejectARequestForTheQueuePairOfAnotherPort() {
        deliver(OTHER_LID, request(PASSIVE));
        assertRejected();
    }

    @Test
    void shouldRejectARequestToAnotherGid() {
        deliver(ACTIVE_LID, request(new Gid(0xFE80_0000_0000_0000L, 0x77)));
        assertRejected();
    }

    @Test
    void shouldRejectARequestInAnotherPartitionThanTheDefaultOne() {
        deliver(ACTIVE_LID, request(PASSIVE, 0x8012));
        assertRejected();
    }

    /** A full member, and limited members with each other: IBA vol 1 §10.9.3. */
    @Test
    void shouldAcceptRequestsInThePartitionsOfThePort() {
        passive.acceptPartitions(pkey -> PKeyBlock.match(0x0012, pkey));
        deliver(ACTIVE_LID, request(PASSIVE, 0x8012));
        assertEquals(0x8012, requested.request().pkey());
        requested = null;
        deliver(ACTIVE_LID, request(PASSIVE, 0x0012));
        assertRejected();
        deliver(ACTIVE_LID, request(PASSIVE, 0xFFFF));
        assertRejected();
    }

    private void assertRejected() {
        assertNull(requested);
        assertFalse(passive.hasOutgoing());
        assertEquals(1, passive.refusals());
        ByteBuffer answer = passive.nextRefusal().mad();
        assertEquals(CmMessage.REJ, Mad.attribute(answer, 0));
        assertEquals(CmRejectReason.INVALID_GID, CmRej.REASON.get(answer, 0));
        assertEquals(0, CmRej.INFO_LENGTH.get(answer, 0), "a LID is no GID");
    }

    /** On Ethernet there are none. */
    @Test
    void shouldWriteNoLidsIfTheRequestMayPassARouter() {
        ReqFields fields = ReqFields.builder().local(ACTIVE).remote(PASSIVE).serviceId(CmHost.SERVICE).qpn(0x123).hopLimit(64).build();
        active.connect(0, new GidPair(GidType.ROCE_V2, ACTIVE, PASSIVE), fields, null);
        ByteBuffer mad = active.nextOutgoing().mad();
        assertEquals(0xFFFF, CmReq.LOCAL_LID.get(mad, 0));
        assertEquals(0xFFFF, CmReq.REMOTE_LID.get(mad, 0));
        assertEquals(0, CmReq.SUBNET_LOCAL.get(mad, 0));
    }
}
