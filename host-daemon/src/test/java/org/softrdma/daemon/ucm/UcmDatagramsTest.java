// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.abi.AbiLayout.BE64;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmDatagramParameters;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.ucm.UcmIdResponse;
import org.softrdma.abi.ucm.UcmJoinIpMcast;
import org.softrdma.abi.ucm.UcmJoinMcast;
import org.softrdma.abi.uverbs.AhAttributes;
import org.softrdma.abi.uverbs.QpAttributesRecord;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/** Datagram services and multicast groups, as udaddy and mckey use them. Keys and numbers are those of the kernel's rdma_cm. */
@Timeout(60)
class UcmDatagramsTest extends OneProgramTests {
    private static final int MULTICAST_JOIN = 12;
    private static final int PORT = 7174;
    private static final int QKEY = 0x01234567;
    private static final long PARAMETERS = UcmEvent.DATAGRAM_PARAMETERS_OFFSET;

    /** Moves a queue pair to RTS as librdmacm's rdma_create_qp does: INIT with INIT_QP_ATTR's answer, the rest by itself. */
    private void prepare(CmQueuePair qp, int id) {
        MemorySegment attributes = program.queuePairAttributes(channel, id, 1);
        assertEquals(QKEY, QpAttributesRecord.qkey(attributes, 0));
        assertEquals(0x71, QpAttributesRecord.qpAttrMask(attributes, 0), "STATE, PKEY_INDEX, PORT, QKEY");
        qp.modify(attributes);
        qp.qp.modify(new QpAttributes().state(QpState.RTR));
        qp.qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
    }

    private static String text(MemorySegment event) {
        int bytes = UcmDatagramParameters.privateDataLen(event, PARAMETERS);
        return new String(event.asSlice(PARAMETERS + UcmDatagramParameters.PRIVATE_DATA_OFFSET, bytes).toArray(U8)).replace("\0", "");
    }

    @Test
    void shouldResolveADatagramService() {
        int listener = program.listener(channel, UcmCreateId.PS_UDP, PORT);
        int id = program.resolved(channel, UcmCreateId.PS_UDP, PORT);
        CmQueuePair sender = programs.keep(new CmQueuePair(programs, program, QpType.UD));
        prepare(sender, id);
        assertTrue(program.connect(channel, id, sender.number(), "who") > 0);
        MemorySegment request = program.event(channel);
        assertEquals(4, UcmEvent.event(request, 0), "CONNECT_REQUEST");
        assertEquals("who", text(request));
        int passive = UcmEvent.id(request, 0);
        CmQueuePair receiver = programs.keep(new CmQueuePair(programs, program, QpType.UD));
        prepare(receiver, passive);
        assertTrue(program.accept(channel, passive, 0xdef, receiver.number(), "me", 0, 0) > 0);
        MemorySegment answer = program.event(channel);
        assertEquals(9, UcmEvent.event(answer, 0), "ESTABLISHED");
        assertEquals("me", text(answer));
        assertEquals(receiver.number(), UcmDatagramParameters.qpNum(answer, PARAMETERS));
        assertEquals(QKEY, UcmDatagramParameters.qkey(answer, PARAMETERS));
        long vector = PARAMETERS + UcmDatagramParameters.AH_ATTR_OFFSET;
        assertEquals(1, AhAttributes.isGlobal(answer, vector));
        assertEquals(1, AhAttributes.portNum(answer, vector));

        receiver.qp.postReceive(new ReceiveRequest().begin(1).element(receiver.region, 0, 128));
        sender.memory.set(U8, 0, (byte) 0x77);
        try (AddressHandle handle = sender.qp.pd().createAh(CmQueuePair.vector(answer, vector))) {
            sender.qp.postSend(new SendRequest().send().to(handle, UcmDatagramParameters.qpNum(answer, PARAMETERS),
                UcmDatagramParameters.qkey(answer, PARAMETERS)).element(sender.region, 0, 1).signaled());
            WorkCompletion[] one = WorkCompletion.array(1);
            long untilNs = System.nanoTime() + 30_000_000_000L;
            while (receiver.cq.poll(one) == 0) {
                assertTrue(System.nanoTime() - untilNs < 0, "no datagram");
            }
        }
        assertEquals(0x77, receiver.memory.get(U8, 40), "behind the GRH");
        assertEquals(3, program.destroy(channel, id));
        assertEquals(0, program.destroy(channel, passive), "accepting datagrams has no event");
        assertEquals(1, program.destroy(channel, listener));
    }

    @Test
    void shouldRejectADatagramRequest() {
        program.listener(channel, UcmCreateId.PS_UDP, PORT);
        int id = program.resolved(channel, UcmCreateId.PS_UDP, PORT);
        assertTrue(program.connect(channel, id, 0, "") > 0);
        int passive = UcmEvent.id(program.event(channel), 0);
        assertTrue(program.reject(channel, passive, 0, "no") > 0);
        MemorySegment answer = program.event(channel);
        assertEquals(7, UcmEvent.event(answer, 0), "UNREACHABLE");
        assertEquals(2, UcmEvent.status(answer, 0), "rejected by the service; IBA vol 1 §13.6.7.2");
    }

    private MemorySegment joinCommand(int id, String group, int flags, long uid, MemorySegment response) {
        MemorySegment command = program.command(UcmCommand.JOIN_MCAST, UcmJoinMcast.BYTES, UcmIdResponse.BYTES);
        MemorySegment body = CmProgram.body(command);
        UcmJoinMcast.response(body, 0, response.address());
        UcmJoinMcast.uid(body, 0, uid);
        UcmJoinMcast.id(body, 0, id);
        UcmJoinMcast.joinFlags(body, 0, flags);
        UcmJoinMcast.addrSize(body, 0, CmProgram.putAddress(body, UcmJoinMcast.ADDR_OFFSET,
            new InetSocketAddress(InetAddress.ofLiteral(group), 0)));
        return command;
    }

    @Test
    void shouldJoinAndLeaveAGroup() {
        int id = program.create(channel, UcmCreateId.PS_UDP);
        program.bind(channel, id, CmProgram.loopback(0));
        MemorySegment response = program.allocate(8);
        assertTrue(program.write(channel, joinCommand(id, "239.1.2.3", 0, 0x9876, response)) > 0);
        int membership = UcmIdResponse.id(response, 0);
        MemorySegment joined = program.event(channel);
        assertEquals(MULTICAST_JOIN, UcmEvent.event(joined, 0));
        assertEquals(0x9876, UcmEvent.uid(joined, 0), "the membership's cookie");
        assertEquals(membership, UcmEvent.id(joined, 0));
        assertEquals(0xffffff, UcmDatagramParameters.qpNum(joined, PARAMETERS));
        assertEquals(QKEY, UcmDatagramParameters.qkey(joined, PARAMETERS));
        assertEquals(0x0000_ffff_ef01_0203L, joined.get(BE64, PARAMETERS + UcmDatagramParameters.AH_ATTR_OFFSET + 8), "::ffff:239.1.2.3");
        CmQueuePair member = programs.keep(new CmQueuePair(programs, program, QpType.UD));
        prepare(member, id);
        Gid group = CmQueuePair.vector(joined, PARAMETERS + UcmDatagramParameters.AH_ATTR_OFFSET).dgid();
        member.qp.attachMulticast(group);
        member.qp.detachMulticast(group);
        assertEquals(1, program.release(channel, UcmCommand.LEAVE_MCAST, membership));
        assertEquals(-2, program.release(channel, UcmCommand.LEAVE_MCAST, membership), "ENOENT");
        assertEquals(1, program.destroy(channel, id));
    }

    @Test
    void shouldDropTheEventOfAGroupThatWasLeft() {
        int id = program.create(channel, UcmCreateId.PS_UDP);
        program.bind(channel, id, CmProgram.loopback(0));
        MemorySegment first = program.allocate(8);
        MemorySegment second = program.allocate(8);
        program.write(channel, joinCommand(id, "239.1.2.3", 0, 1, first));
        program.write(channel, joinCommand(id, "239.1.2.4", 1, 2, second));
        assertEquals(2, program.readable(channel));
        assertEquals(0, program.release(channel, UcmCommand.LEAVE_MCAST, UcmIdResponse.id(first, 0)));
        assertEquals(1, program.readable(channel));
        assertEquals(2, UcmEvent.uid(program.event(channel), 0));
        assertEquals(-11, program.tryEvent(channel));
    }

    @Test
    void shouldJoinWithTheOlderCommand() {
        int id = program.create(channel, UcmCreateId.PS_UDP);
        program.bind(channel, id, CmProgram.loopback(0));
        MemorySegment command = program.command(UcmCommand.JOIN_IP_MCAST, UcmJoinIpMcast.BYTES, 4);
        MemorySegment body = CmProgram.body(command);
        UcmJoinIpMcast.response(body, 0, program.allocate(8).address());
        UcmJoinIpMcast.uid(body, 0, 3);
        UcmJoinIpMcast.id(body, 0, id);
        CmProgram.putAddress(body, UcmJoinIpMcast.ADDR_OFFSET, new InetSocketAddress(InetAddress.ofLiteral("239.1.2.5"), 0));
        assertTrue(program.write(channel, command) > 0);
        assertEquals(MULTICAST_JOIN, UcmEvent.event(program.event(channel), 0));
    }

    @Test
    void shouldRefuseGroups() {
        MemorySegment response = program.allocate(8);
        int unbound = program.create(channel, UcmCreateId.PS_UDP);
        assertEquals(-22, program.write(channel, joinCommand(unbound, "239.1.2.3", 0, 1, response)), "no device");
        int id = program.create(channel, UcmCreateId.PS_UDP);
        program.bind(channel, id, CmProgram.loopback(0));
        assertEquals(-22, program.write(channel, joinCommand(id, "10.1.2.3", 0, 1, response)), "no group");
        assertEquals(-22, program.write(channel, joinCommand(id, "239.1.2.3", 2, 1, response)), "no such flag");
        assertEquals(-14, program.write(channel, joinCommand(id, "239.1.2.3", 0, 1, MemorySegment.ofAddress(8))));
        assertEquals(0, programs.device.memberships().size(), "nothing is left of them");
        int connected = program.resolved(channel, UcmCreateId.PS_TCP, PORT);
        assertEquals(-22, program.write(channel, joinCommand(connected, "239.1.2.3", 0, 1, response)), "no datagrams");
        program.write(channel, joinCommand(id, "239.1.2.3", 0, 1, response));
        CmProgram stranger = programs.program("stranger");
        assertEquals(-22, stranger.release(stranger.open(), UcmCommand.LEAVE_MCAST, UcmIdResponse.id(response, 0)));
    }
}
