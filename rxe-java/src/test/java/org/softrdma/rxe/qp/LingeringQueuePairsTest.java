// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.link.TransmitBatch;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;

/** Entries of queue pairs that were destroyed, with nothing else of their device. */
class LingeringQueuePairsTest {
    private static final long MS = 1_000_000;
    private static final long UNTIL_NS = MachineEnd.NOW_NS + LingeringQueuePairs.LINGER_NS;

    private final MachineEnd a = new MachineEnd(0x11, 1);
    private final MachineEnd b = new MachineEnd(0x12, 2);
    private final LingeringQueuePairs lingering = new LingeringQueuePairs(b.counters);
    private LingeringQueuePairs.Entry entry;

    /** B receives a message and is destroyed. */
    @BeforeEach
    void destroy() {
        a.connect(b, 100, 200);
        b.connect(a, 200, 100);
        b.queues.postReceive(7, 16);
        a.queues.postSend(1, "message");
        a.transmitTo(b);
        entry = b.machine.lingering(UNTIL_NS);
        b.machine.close();
        lingering.add(entry);
    }

    private InboundPacket repeated(MachineEnd from) {
        return from.packet(b, 0);
    }

    private void repeat() {
        a.expireTimer();
        assertEquals(1, a.turn().size());
    }

    @Test
    void shouldAcknowledgeOnceWhatIsRepeated() {
        repeat();
        assertNull(lingering.onPacket(entry, repeated(a)));
        assertNull(lingering.onPacket(entry, repeated(a)));
        TransmitBatch batch = new TransmitBatch(4, 4200);
        PacketWriter writer = new PacketWriter(batch, b.counters, _ -> true);
        assertEquals(1, lingering.transmit(writer));
        assertEquals(0, lingering.transmit(writer));
        int at = batch.offset(0);
        assertEquals(Opcode.RC_ACKNOWLEDGE, Bth.opcode(batch.buffer(), at));
        assertEquals(100, Bth.psn(batch.buffer(), at));
        assertEquals(0x1f, Aeth.syndrome(batch.buffer(), at + Bth.LENGTH));
        assertEquals(1, Aeth.msn(batch.buffer(), at + Bth.LENGTH));
    }

    @Test
    void shouldAcceptPacketsOfItsPeerOnly() {
        repeat();
        assertNull(entry.checkOrigin(repeated(a)));
        MachineEnd stranger = new MachineEnd(0x13, 3);
        stranger.connect(b, 100, 200);
        stranger.queues.postSend(1, "message");
        stranger.turn();
        assertEquals(RxeCounter.DROP_WRONG_ADDRESS, entry.checkOrigin(repeated(stranger)));
    }

    @Test
    void shouldBeRememberedUntilItsTimeIsOver() {
        lingering.expire(UNTIL_NS - 1);
        assertSame(entry, lingering.find(0x12));
        lingering.expire(UNTIL_NS);
        assertNull(lingering.find(0x12));
    }

    /** A device that stops waits for a tenth of a second: peers repeat what was not acknowledged. */
    @Test
    void shouldExpectRepetitionsForAWhile() {
        assertTrue(lingering.lingers(MachineEnd.NOW_NS + 100 * MS - 1));
        assertFalse(lingering.lingers(MachineEnd.NOW_NS + 100 * MS));
        lingering.expire(UNTIL_NS);
        assertFalse(lingering.lingers(MachineEnd.NOW_NS));
    }
}
