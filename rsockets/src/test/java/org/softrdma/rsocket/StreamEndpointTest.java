// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rsocket.stream.ConnectionData;
import org.softrdma.rsocket.stream.Signalling;
import org.softrdma.rsocket.stream.StreamException;
import org.softrdma.rsocket.stream.StreamMachine;
import org.softrdma.rsocket.stream.Violation;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;

/** Two endpoints on simulated RoCE devices, in virtual time. Private data are passed directly from one end to the other. */
class StreamEndpointTest {
    private static final Gid ALICE = Gid.ofIpv4(0x0a000001);
    private static final Gid BOB = Gid.ofIpv4(0x0a000002);
    private static final long SECOND = 1_000_000_000L;
    private static final RSocketOptions SMALL = RSocketOptions.DEFAULT.withBuffers(8192, 4096).withRequests(16, 16);

    private static final class Side implements AutoCloseable {
        final Context context;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final StreamEndpoint endpoint;
        private QueuePair qp;

        Side(Context context, RSocketOptions options, Signalling signalling) {
            this.context = context;
            pd = context.allocatePd();
            StreamEndpoint.Plan plan = StreamEndpoint.Plan.of(options, signalling, context.queryDevice());
            cq = context.createCq(plan.completions());
            endpoint = new StreamEndpoint(plan, pd, cq, attributes -> {
                qp = pd.createQp(attributes);
                qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_WRITE));
                return qp;
            });
        }

        void connect(Side peer, Gid gid, int psn, int peersPsn) {
            qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(gid, 1)).pathMtu(Mtu.MTU_1024)
                .destQpn(peer.qp.qpNum()).rqPsn(peersPsn).maxDestRdAtomic(0).minRnrTimer(1));
            qp.modify(new QpAttributes().state(QpState.RTS).timeout(10).retryCount(7).rnrRetry(7).sqPsn(psn).maxRdAtomic(0));
        }

        @Override
        public void close() {
            qp.close();
            endpoint.close();
            cq.close();
            pd.close();
            context.close();
        }
    }

    private static final class Pair implements AutoCloseable {
        final SimulatedFabric fabric;
        final Simulation simulation;
        final Side a;
        final Side b;

        Pair(long seed, FaultPlan faults, RSocketOptions options, Signalling signalling) throws StreamException {
            fabric = new SimulatedFabric(seed, faults);
            simulation = new Simulation(fabric);
            RandomGenerator random = new SplittableRandom(seed);
            a = new Side(SimulatedRxe.open(simulation, fabric.attach(ALICE), random, 1500), options, signalling);
            b = new Side(SimulatedRxe.open(simulation, fabric.attach(BOB), random, 1500), options, signalling);
            a.connect(b, BOB, 5, 0xfffff0);
            b.connect(a, ALICE, 0xfffff0, 5);
            a.endpoint.begin(ConnectionData.parse(b.endpoint.describe().toBytes()), 0);
            b.endpoint.begin(ConnectionData.parse(a.endpoint.describe().toBytes()), 0);
        }

        /** Polls both endpoints until a condition holds. */
        void until(Condition condition) {
            assertTrue(simulation.runUntil(() -> {
                a.endpoint.poll();
                b.endpoint.poll();
                try {
                    return condition.holds();
                } catch (StreamException failed) {
                    throw new AssertionError(failed);
                }
            }, fabric.nowNs() + 100 * SECOND), "it did not come");
        }

        @Override
        public void close() {
            a.close();
            b.close();
        }
    }

    private interface Condition {
        boolean holds() throws StreamException;
    }

    @ParameterizedTest
    @CsvSource({"1, 0, IMMEDIATE", "2, 0.05, IMMEDIATE", "3, 0, SEND", "4, 0.05, SEND"})
    void shouldCarryAStreamEachWay(long seed, double loss, Signalling signalling) throws StreamException {
        byte[] there = new byte[200_000];
        byte[] back = new byte[70_001];
        new SplittableRandom(seed).nextBytes(there);
        new SplittableRandom(~seed).nextBytes(back);
        ByteBuffer fromA = ByteBuffer.wrap(there);
        ByteBuffer fromB = ByteBuffer.wrap(back);
        ByteBuffer atA = ByteBuffer.allocate(back.length + 1);
        ByteBuffer atB = ByteBuffer.allocate(there.length + 1);
        try (Pair pair = new Pair(seed, FaultPlan.NONE.withLoss(loss), SMALL, signalling)) {
            StreamMachine a = pair.a.endpoint.machine();
            StreamMachine b = pair.b.endpoint.machine();
            pair.until(() -> {
                send(a, fromA);
                send(b, fromB);
                return (a.read(atA) | b.read(atB)) < 0 && a.isIdle() && b.isIdle();
            });
            assertFalse(a.isConnected() || b.isConnected() || a.hasFailed() || b.hasFailed());
        }
        assertEquals(ByteBuffer.wrap(there), atB.flip(), "seed " + seed);
        assertEquals(ByteBuffer.wrap(back), atA.flip(), "seed " + seed);
    }

    private static void send(StreamMachine machine, ByteBuffer from) throws StreamException {
        if (from.hasRemaining()) {
            machine.write(from);
        } else {
            machine.shutdownOutput();
        }
        machine.transmit();
    }

    /** The keep-alive is an empty write, which is invisible to the peer's program. */
    @Test
    void shouldKeepAlive() throws StreamException {
        try (Pair pair = new Pair(1, FaultPlan.NONE, SMALL.withKeepAlive(3), Signalling.IMMEDIATE)) {
            StreamMachine a = pair.a.endpoint.machine();
            pair.until(a::isIdle);
            a.onTimer(3 * SECOND);
            assertFalse(a.isIdle());
            pair.until(a::isIdle);
            assertTrue(a.isConnected());
            assertFalse(pair.b.endpoint.machine().isReadable());
        }
    }

    @Test
    void shouldFailWhenThePeerIsGone() throws StreamException {
        try (Pair pair = new Pair(1, FaultPlan.NONE, SMALL, Signalling.IMMEDIATE)) {
            StreamMachine a = pair.a.endpoint.machine();
            pair.until(a::isIdle);
            pair.b.qp.modify(new QpAttributes().state(QpState.ERR));
            assertEquals(10, a.write(ByteBuffer.allocate(10)));
            pair.until(a::hasFailed);
            assertEquals(Errno.EIO, assertThrows(StreamException.class, () -> a.read(ByteBuffer.allocate(1))).errno());
            pair.until(pair.b.endpoint.machine()::hasFailed);
            assertEquals(Errno.ECONNRESET,
                assertThrows(StreamException.class, () -> pair.b.endpoint.machine().read(ByteBuffer.allocate(1))).errno());
        }
    }

    /** RoCE sends no message as a SEND, and iWARP none with another length. */
    @ParameterizedTest
    @CsvSource({"IMMEDIATE, 0", "SEND, 0", "SEND, 3"})
    void shouldRefuseSendsThatAreNoMessages(Signalling signalling, int bytes) throws StreamException {
        try (Pair pair = new Pair(1, FaultPlan.NONE, SMALL, signalling)) {
            pair.until(pair.a.endpoint.machine()::isIdle);
            SendRequest hostile = new SendRequest().send();
            if (bytes > 0) {
                hostile.inlineData(MemorySegment.ofArray(new byte[bytes]));
            }
            pair.a.qp.postSend(hostile);
            pair.until(pair.b.endpoint.machine()::hasFailed);
            StreamException named = assertThrows(StreamException.class, () -> pair.b.endpoint.machine().read(ByteBuffer.allocate(1)));
            assertEquals(Violation.MALFORMED_MESSAGE, named.violation());
        }
    }
}
