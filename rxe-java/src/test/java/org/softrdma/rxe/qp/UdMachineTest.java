// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;

/** A datagram queue pair with nothing else of a device. */
class UdMachineTest {
    private static final int QPN = 0x11;
    private static final int QKEY = 0x11111111;
    private static final int PAYLOAD = 16;

    private final TestQueues queues = new TestQueues();
    private final UdMachine machine = new UdMachine(QPN, queues, queues.table, new Counters<>(RxeCounter.class), 1024);

    /** UCX looks for its own address where the header of this type has it. */
    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.2, false, 10", "fd00::1, fd00::2, false, 9", "fe80::1, fe80::2, true, 0"})
    void shouldReportTheTypeOfThePacketAsServiceLevel(String own, String peer, boolean v1, int expected) throws UnknownHostException {
        machine.modify(new QpAttributes().pkeyIndex(0).port(1).qkey(QKEY), QpState.INIT, null);
        machine.modify(new QpAttributes(), QpState.RTR, null);
        queues.postReceive(7, 100);
        Gid from = Gid.of(InetAddress.getByName(peer));
        ReceivedFrame frame = datagram().addresses(Gid.of(InetAddress.getByName(own)), from.high(), from.low()).ports(4791, 4791);
        InboundPacket packet = new InboundPacket();
        packet.set(v1 ? frame.roceV1() : frame);

        machine.onPacket(0, packet);

        assertEquals(List.of("7 RECV SUCCESS 56"), queues.completions);
        assertEquals(List.of(expected), queues.serviceLevels);
    }

    /** Version 6, 40 bytes of payload from BTH to ICRC, next header 0x1b, both GIDs; the hop limit may be unknown. IBA vol 1 §8.3 */
    @Test
    void shouldDeliverTheGlobalRouteHeaderOfRoceV1() throws UnknownHostException {
        machine.modify(new QpAttributes().pkeyIndex(0).port(1).qkey(QKEY), QpState.INIT, null);
        machine.modify(new QpAttributes(), QpState.RTR, null);
        queues.postReceive(7, 100);
        Gid from = Gid.of(InetAddress.getByName("fe80::2"));
        InboundPacket packet = new InboundPacket();
        packet.set(datagram().addresses(Gid.of(InetAddress.getByName("fe80::1")), from.high(), from.low()).roceV1());

        machine.onPacket(0, packet);

        String header = HexFormat.of().formatHex(queues.receivedBytes(40));
        assertEquals("60000000" + "0028" + "1b", header.substring(0, 14));
        assertEquals("fe80" + "00".repeat(13) + "02" + "fe80" + "00".repeat(13) + "01", header.substring(16));
    }

    @Test
    void shouldCountNoPacketOfADatagramThatIsTooLong() {
        machine.modify(new QpAttributes().pkeyIndex(0).port(1).qkey(QKEY), QpState.INIT, null);
        machine.modify(new QpAttributes(), QpState.RTR, null);
        machine.modify(new QpAttributes().sqPsn(5), QpState.RTS, null);
        queues.postSend(1, "x".repeat(1025));
        PacketWriter writer = new PacketWriter(new TransmitBatch(4, 4200), new Counters<>(RxeCounter.class), _ -> true);
        assertEquals(0, machine.transmit(0, writer, 64));
        assertEquals(List.of("1 SEND LOC_LEN_ERR 0"), queues.completions);
        assertEquals(5, machine.query().sqPsn());
    }

    /** Nothing is acknowledged, so there is nothing to wait for. */
    @Test
    void shouldHaveNoTimers() {
        assertFalse(machine.awaitsHandOver());
        assertEquals(Deadline.NEVER, machine.deadlineNs());
    }

    private static ReceivedFrame datagram() {
        int length = Opcode.headerLength(Opcode.UD_SEND_ONLY) + PAYLOAD + Icrc.LENGTH;
        ByteBuffer buffer = ByteBuffer.allocateDirect(length);
        Bth.put(buffer, 0, Opcode.UD_SEND_ONLY, false, 0, QpMachine.PKEY, QPN, false, 0);
        Deth.put(buffer, Bth.LENGTH, QKEY, 0x22);
        return new ReceivedFrame().begin(buffer, 0, length);
    }
}
