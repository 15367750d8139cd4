// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * Two connected ends with continuous traffic, several messages in flight: every message is compared at the other end, returned and
 * compared again, while RDMA READs of one region are repeated. Ends at the first deviation.
 */
final class SteadyTalk implements AutoCloseable {
    private static final int WINDOW = 8;
    private static final int MESSAGE_BYTES = 4096;
    private static final int READ_ID = 1000;
    private static final byte READ_FILL = 0x5a;
    private static final long IDLE_NS = 20_000;

    private final End asking;
    private final End answering;
    private final MemoryRegion readInto;
    private final MemoryRegion readFrom;
    private final Thread thread = new Thread(this::run, "steady-talk");
    private volatile boolean stopped;
    private volatile long returned;
    private volatile Throwable failure;
    private long sent;
    private long reads;

    /** One end with its message buffers: a window of incoming and a window of outgoing messages. */
    private static final class End {
        final CmEnd end;
        final MemoryRegion in;
        final MemoryRegion out;
        private final WorkCompletion[] one = WorkCompletion.array(1);
        private long arrived;

        End(CmEnd end) {
            this.end = end;
            in = memory(end, WINDOW * MESSAGE_BYTES);
            out = memory(end, WINDOW * MESSAGE_BYTES);
            for (int slot = 0; slot < WINDOW; slot++) {
                postReceive(slot);
            }
        }

        static MemoryRegion memory(CmEnd end, int bytes) {
            return end.qp.pd().register(Arena.ofAuto().allocate(bytes, 64), SiwPair.ALL_REMOTE);
        }

        private void postReceive(int slot) {
            end.qp.postReceive(new ReceiveRequest().begin(slot).element(in, (long) slot * MESSAGE_BYTES, MESSAGE_BYTES));
        }

        void send(long number) {
            int slot = (int) (number % WINDOW);
            MemorySegment message = out.memory().asSlice((long) slot * MESSAGE_BYTES, MESSAGE_BYTES);
            message.fill((byte) number);
            message.set(ValueLayout.JAVA_LONG, 0, number);
            end.qp.postSend(new SendRequest().send().wrId(slot).element(out, (long) slot * MESSAGE_BYTES, MESSAGE_BYTES).signaled());
        }

        /** Returns the next completion, or null. */
        WorkCompletion poll() {
            if (((CompletionQueue) ((SiwQueuePair) end.qp).recvCq()).poll(one) == 0) {
                return null;
            }
            check(one[0].status() == WcStatus.SUCCESS, one[0].toString());
            return one[0];
        }

        /**
         * Compares a received message and posts the next receive.
         *
         * @return number of the message
         */
        long take(WorkCompletion wc) {
            int slot = (int) wc.wrId();
            long number = arrived++;
            MemorySegment message = in.memory().asSlice((long) slot * MESSAGE_BYTES, MESSAGE_BYTES);
            check(wc.byteLength() == MESSAGE_BYTES && slot == number % WINDOW, "message " + number + ": " + wc);
            check(message.get(ValueLayout.JAVA_LONG, 0) == number, "message " + number + " is out of order");
            checkFilled(message.asSlice(Long.BYTES), (byte) number, "message " + number);
            postReceive(slot);
            return number;
        }
    }

    /**
     * Creates the traffic between two connected ends.
     *
     * @param asking    the end that sends first and reads
     * @param answering its peer, which returns each message
     */
    SteadyTalk(CmEnd asking, CmEnd answering) {
        this.asking = new End(asking);
        this.answering = new End(answering);
        readInto = End.memory(asking, MESSAGE_BYTES);
        readFrom = End.memory(answering, MESSAGE_BYTES);
        readFrom.memory().fill(READ_FILL);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            read();
            while (!stopped) {
                while (sent - returned < WINDOW) {
                    asking.send(sent++);
                }
                if (!takeOf(answering) && !takeOf(asking)) {
                    LockSupport.parkNanos(IDLE_NS);
                }
            }
        } catch (RuntimeException | AssertionError wrong) {
            failure = wrong;
        }
    }

    private boolean takeOf(End end) {
        boolean any = false;
        for (WorkCompletion wc = end.poll(); wc != null; wc = end.poll()) {
            any = true;
            if (wc.opcode() == WcOpcode.RECV && end == answering) {
                answering.send(answering.take(wc));
            } else if (wc.opcode() == WcOpcode.RECV) {
                asking.take(wc);
                returned++;
            } else if (wc.opcode() == WcOpcode.RDMA_READ) {
                checkFilled(readInto.memory(), READ_FILL, "READ " + reads);
                reads++;
                read();
            }
        }
        return any;
    }

    private void read() {
        readInto.memory().fill((byte) 0);
        asking.end.qp.postSend(new SendRequest().read(readFrom.address(), readFrom.rkey()).wrId(READ_ID)
            .element(readInto, 0, MESSAGE_BYTES).signaled());
    }

    private static void checkFilled(MemorySegment memory, byte fill, String what) {
        for (long i = 0; i < memory.byteSize(); i++) {
            check(memory.get(ValueLayout.JAVA_BYTE, i) == fill, what);
        }
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /** Waits until the given number of further messages has returned. */
    void awaitMore(int messages) {
        long until = returned + messages;
        CmEnd.await(() -> failure != null || returned >= until);
        checkSound();
    }

    private void checkSound() {
        if (failure != null) {
            throw new AssertionError("after " + returned + " messages", failure);
        }
    }

    /** Stops the traffic. The last messages sent need not have returned. */
    void stop() throws InterruptedException {
        stopped = true;
        thread.join(TimeUnit.SECONDS.toMillis(30));
        checkSound();
    }

    /** Deregisters the memory; operations in flight fail. */
    @Override
    public void close() {
        List.of(asking.in, asking.out, answering.in, answering.out, readInto, readFrom).forEach(MemoryRegion::close);
    }
}
