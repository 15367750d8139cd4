// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;

/** A UC queue pair with nothing else of a device, packet by packet. */
class UcMachineTest {
    private static final int MTU = 256;
    private static final int PSN = 100;
    private static final int FIRST = Opcode.TRANSPORT_UC | Opcode.RC_SEND_FIRST;
    private static final int LAST = Opcode.TRANSPORT_UC | Opcode.RC_SEND_LAST;
    private static final int ONLY = Opcode.TRANSPORT_UC | Opcode.RC_SEND_ONLY;

    private final TestQueues queues = new TestQueues();
    private final Counters<RxeCounter> counters = new Counters<>(RxeCounter.class);
    private final TransmitBatch batch = new TransmitBatch(64, 4200);
    private final PacketWriter writer = new PacketWriter(batch, counters, _ -> true);
    private final UcMachine machine = new UcMachine(0x11, queues, queues.table, counters);

    @BeforeEach
    void connect() {
        Path path = new Path(Gid.ofIpv4(0x0a000001), Gid.ofIpv4(0x0a000002), 4791, 4791, 0, 64, null);
        machine.modify(new QpAttributes().accessFlags(0), QpState.INIT, null);
        machine.modify(new QpAttributes().pathMtu(Mtu.MTU_256).destQpn(0x12).rqPsn(0), QpState.RTR, path);
        machine.modify(new QpAttributes().sqPsn(PSN), QpState.RTS, null);
    }

    private void postMessage(long wrId, int packets) {
        queues.postSend(wrId, "x".repeat(packets * MTU));
    }

    /** @return number of packets */
    private int transmit(int budget) {
        return machine.transmit(0, writer, budget);
    }

    private int opcode(int packet) {
        return Bth.opcode(batch.buffer(), batch.offset(packet));
    }

    @Test
    void shouldSendNoMorePacketsThanItsBudget() {
        postMessage(1, 3);
        assertTrue(machine.hasData());
        assertEquals(2, transmit(2));
        assertEquals(List.of(), queues.completions);
        assertEquals(1, transmit(2));
        assertEquals(List.of("1 SEND SUCCESS " + 3 * MTU), queues.completions);
        assertFalse(machine.hasData());
        assertEquals(0, transmit(2));
        assertEquals(PSN + 3, machine.query().sqPsn());
    }

    /** In SQD a message is finished once its first packet was sent. IBA vol 1 §10.3.1.5 */
    @Test
    void shouldFinishTheMessageThatWasBegunBeforeItIsDrained() {
        postMessage(1, 2);
        postMessage(2, 2);
        assertEquals(1, transmit(1));
        machine.modify(new QpAttributes().sqdAsyncNotify(true), QpState.SQD, null);
        assertEquals(List.of(), queues.events);
        assertEquals(1, transmit(2));
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), queues.events);
        assertEquals(0, transmit(2));
        assertEquals(List.of(FIRST, LAST), List.of(opcode(0), opcode(1)));
    }

    @Test
    void shouldCountNoPacketOfAMessageThatFails() {
        postMessage(1, 2);
        assertEquals(1, transmit(1));
        queues.table.remove(queues.region.key());
        postMessage(2, 1);
        assertEquals(0, transmit(2));
        assertEquals(List.of("1 SEND LOC_PROT_ERR 0", "2 SEND WR_FLUSH_ERR 0"), queues.completions);
        assertEquals(QpState.SQE, machine.state());
        machine.modify(new QpAttributes(), QpState.RTS, null);
        postMessage(3, 1);
        assertEquals(0, transmit(2), "it fails before its first packet");
        assertEquals("3 SEND LOC_PROT_ERR 0", queues.completions.getLast());
    }

    @Test
    void shouldBeginANewMessageAfterAReset() {
        postMessage(1, 2);
        assertEquals(1, transmit(1));
        machine.modify(new QpAttributes(), QpState.RESET, null);
        assertEquals(0, machine.query().sqPsn());
        connect();
        postMessage(2, 1);
        assertEquals(1, transmit(2));
        assertEquals(List.of(FIRST, ONLY), List.of(opcode(0), opcode(1)));
        assertEquals(List.of("2 SEND SUCCESS " + MTU), queues.completions);
    }

    /** Nothing is known yet of where packets may come from. */
    @Test
    void shouldAcceptNoOriginWithoutAPath() {
        machine.modify(new QpAttributes(), QpState.RESET, null);
        assertEquals(RxeCounter.DROP_QP_STATE, machine.checkOrigin(new InboundPacket()));
    }
}
