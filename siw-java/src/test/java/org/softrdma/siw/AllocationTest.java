// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.contract.AllocatedBytes;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.VirtualClock;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.siw.mpa.StreamSink;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Checks that the data path allocates nothing, with the JVM's allocation counter of the thread. */
class AllocationTest {
    private static final int ROUNDS = 5_000;
    private static final int BYTES = 4_000;

    private final Simulation simulation = new Simulation(new VirtualClock(1));
    private final SiwPair.Side a = new SiwPair.Side(simulation, new SplittableRandom(1), new SiwPair.Setup());
    private final SiwPair.Side b = new SiwPair.Side(simulation, new SplittableRandom(2), new SiwPair.Setup());
    private final MemoryRegion here = a.memory(BYTES, SiwPair.ALL_REMOTE);
    private final MemoryRegion there = b.memory(BYTES, SiwPair.ALL_REMOTE);
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion[] done = WorkCompletion.array(4);

    /** One end of a pipe: bytes sent are immediately in the other end's buffer. */
    private static final class Pipe implements ByteStream {
        private final StreamBuffer in = new StreamBuffer(1 << 16);
        private final int largestPiece;
        private Pipe other;
        private Listener listener;

        Pipe(int largestPiece) {
            this.largestPiece = largestPiece;
        }

        @Override
        public void listener(Listener to) {
            listener = to;
        }

        @Override
        public boolean poll(StreamSink sink) {
            boolean wanted = true;
            while (wanted && !in.isEmpty()) {
                int length = Math.min(in.length(), largestPiece);
                wanted = sink.onBytes(in.bytes(), in.memory(), in.start(), in.start() + length);
                in.took(length);
            }
            return false;
        }

        @Override
        public int emss() {
            return 1448;
        }

        @Override
        public void send(StreamBuffer from) {
            int length = from.length();
            if (length > 0) {
                other.in.hasRoom(length);
                other.in.bytes().put(other.in.end(), from.bytes(), from.start(), length);
                other.in.wrote(length);
                from.took(length);
                other.listener.ring();
            }
        }

        @Override
        public void close() {
        }

        @Override
        public void abort() {
        }
    }

    private long run() {
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            b.qp.postReceive(receive.begin(i).element(there, 0, BYTES));
            a.qp.postSend(send.send().element(here, 0, BYTES).signaled());
            a.qp.postSend(send.write(there.address(), there.rkey()).element(here, 0, 64));
            a.qp.postSend(send.read(there.address(), there.rkey()).element(here, 0, 64).signaled());
            a.qp.postSend(send.fetchAndAdd(there.address(), there.rkey(), 1).element(here, 0, 8).signaled());
            while (sum < 3L * (i + 1)) {
                a.engine.doWork(i);
                b.engine.doWork(i);
                sum += a.sendCq.poll(done);
                assertEquals(WcStatus.SUCCESS, done[0].status());
            }
            assertEquals(1, b.recvCq.poll(done));
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 700})
    void shouldNotAllocatePerMessage(int largestPiece) throws Throwable {
        Pipe left = new Pipe(largestPiece);
        Pipe right = new Pipe(largestPiece);
        left.other = right;
        right.other = left;
        SiwPair.Setup setup = new SiwPair.Setup();
        StreamParameters parameters = new StreamParameters(true, false, false, 1442);
        SiwPair.connect(a, left, parameters, setup, MpaOptions.Rtr.NONE, SiwMachine.AT_ONCE);
        SiwPair.connect(b, right, parameters, setup, MpaOptions.Rtr.NONE, SiwMachine.AT_ONCE);
        long allocated = AllocatedBytes.leastOf(this::run);
        assertTrue(allocated < ROUNDS, allocated + " bytes in " + ROUNDS + " rounds");
    }
}
