// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.wire.cm.CmSidrRep;

/** Scripts of service ID resolution. */
class SidrScriptTest extends CmScript {
    @Test
    void shouldAnswerWhereDatagramsGo() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[] {7}, a);
        world.runFor(2 * MILLISECOND);
        assertEquals(7, b.lookup.privateData()[0]);
        assertEquals(a.address(), b.lookup.remote());
        b.lookup.answer(world.nowNs(), CmSidrRep.VALID, 0x1234, 0x01234567, new byte[] {8});
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "answer 0 1234 1234567");
        assertNull(a.manager().nextOutgoing());
        assertNothingIsLeft();
    }

    @Test
    void shouldGiveOneAnswerToARepeatedQuestion() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        ByteBuffer lookup = drain(a).getFirst();
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), lookup);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), lookup);
        assertEquals("", names(drain(b)), "the application thinks");
        b.lookup.answer(0, CmSidrRep.VALID, 0x1234, 1, new byte[0]);
        List<ByteBuffer> answer = drain(b);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), lookup);
        assertEquals(answer, drain(b));
        assertEvents(b, "question");
    }

    @Test
    void shouldSayWhyThereAreNoDatagrams() {
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "answer 1 0 0");
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        b.verdict = RequestVerdict.REFUSED;
        a.manager().query(world.nowNs(), CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "answer 2 0 0");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    @Test
    void shouldGiveUpAQuestionThatNobodyAnswers() {
        a.manager().query(0, CmWorld.gids(a.address(), stranger), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runUntil(16 * (4096L << 20) - 1);
        assertEvents(a);
        world.runUntil(16 * (4096L << 20));
        assertEvents(a, "unreachable");
        assertEquals(16, a.count(CmCounter.CM_SENT));
        assertTrue(a.manager().isIdle());
    }
}
