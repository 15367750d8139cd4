// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.mad.Mad;

/** Two hosts with communication management and a scripted peer, on virtual time. */
abstract class CmScript {
    static final long SECOND = CmWorld.SECOND;
    static final long MILLISECOND = 1_000_000;
    /** 4.096 µs · 2^20 for the answer and 2 · 4.096 µs · 2^18 for the way: what ib_cm waits before it repeats a REQ. */
    static final long REQUEST_INTERVAL_NS = (4096L << 20) + 2 * (4096L << 18);
    static final int A_QPN = 0x11;
    static final int B_QPN = 0x22;

    private final StringBuilder trace = new StringBuilder();
    final CmWorld world = new CmWorld(1, line -> trace.append(line).append(System.lineSeparator()));
    final CmHost a = new CmHost(world, 1);
    final CmHost b = new CmHost(world, 2);

    /** A peer that is only an address. */
    final Gid stranger = CmWorld.gid(9);
    static final long STRANGERS_GUID = 0x1234_5678_9abc_def0L;

    static void assertEvents(CmHost host, String... events) {
        assertEquals(List.of(events), host.told());
    }

    Connection established() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.requested, B_QPN);
        world.runFor(2 * MILLISECOND);
        a.confirm(connection);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "reply");
        assertEvents(b, "request", "established");
        return connection;
    }

    void assertNothingIsLeft() {
        world.runFor(200 * SECOND);
        assertTrue(a.manager().isIdle() && b.manager().isIdle(), trace::toString);
    }

    /** Asserts that a host with one request in flight sends the next one now, and the one after it when it has waited for so long. */
    void assertNextTurns(CmHost host, String message, long patienceNs) {
        host.manager().onTime(world.nowNs());
        assertEquals(message, names(drain(host)));
        world.pass(patienceNs - 1);
        host.manager().onTime(world.nowNs());
        assertEquals("", names(drain(host)));
        world.pass(1);
        host.manager().onTime(world.nowNs());
        assertEquals(message, names(drain(host)));
    }

    /** Hands {@code host} a message of the stranger, and returns what it answers. */
    List<ByteBuffer> say(CmHost host, int attribute, long transaction, Consumer<ByteBuffer> fill) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(mad, 0, attribute, transaction);
        fill.accept(mad);
        return say(host, mad);
    }

    List<ByteBuffer> say(CmHost host, ByteBuffer mad) {
        host.manager().onMad(world.nowNs(), CmWorld.gids(host.address(), stranger), mad);
        return drain(host);
    }

    static List<ByteBuffer> drain(CmHost host) {
        List<ByteBuffer> answers = new ArrayList<>();
        for (OutgoingMad next = host.manager().nextRefusal(); next != null; next = host.manager().nextRefusal()) {
            answers.add(next.mad());
        }
        for (OutgoingMad next = host.manager().nextOutgoing(); next != null; next = host.manager().nextOutgoing()) {
            answers.add(next.mad());
        }
        return answers;
    }

    static String names(List<ByteBuffer> mads) {
        return String.join(" ", mads.stream().map(mad -> CmMessage.name(Mad.attribute(mad, 0))).toList());
    }

    Consumer<ByteBuffer> strangersReq(CmHost host) {
        return mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmReq.CA_GUID.set(mad, 0, STRANGERS_GUID);
            CmReq.LOCAL_RESPONSE_TIMEOUT.set(mad, 0, 16);
            CmReq.MAX_CM_RETRIES.set(mad, 0, 3);
            CmHost.request(stranger, host.address(), 0x99).put(mad);
        };
    }

    /** Hands over a message that {@code from} sent, or seems to have sent. */
    void hand(CmHost to, Gid from, ByteBuffer mad) {
        to.manager().onMad(world.nowNs(), CmWorld.gids(to.address(), from), mad);
    }

    /** A message with both communication IDs. */
    static ByteBuffer message(int attribute, long transaction, int localId, int remoteId) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(mad, 0, attribute, transaction);
        CmMessage.LOCAL_COMM_ID.set(mad, 0, localId);
        CmMessage.REMOTE_COMM_ID.set(mad, 0, remoteId);
        return mad;
    }

    int refusal(CmHost host, Consumer<ByteBuffer> change) {
        List<ByteBuffer> answers = say(host, CmMessage.REQ, 5, strangersReq(host).andThen(change));
        assertEquals("REJ", names(answers));
        ByteBuffer rej = answers.getFirst();
        assertEquals(5, Mad.transactionId(rej, 0));
        assertEquals(0, CmMessage.LOCAL_COMM_ID.get(rej, 0), "there is no connection of it");
        assertEquals(0x77, CmMessage.REMOTE_COMM_ID.get(rej, 0));
        assertEquals(CmMessage.ANSWERS_REQ, CmRej.MESSAGE.get(rej, 0));
        return CmRej.REASON.get(rej, 0);
    }
}
