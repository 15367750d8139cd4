// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.rpcrdma.wire.PrivateData;

/**
 * Arbitrary bytes as messages to both ends. Each receive is posted once, work requests stay within this end's buffers and the peer's
 * chunks, and every exchange ends. Inside {@code mvn verify} the test replays its seeds (regression mode); wire-formats'
 * {@code WireFuzzTest} describes how to search.
 */
class TransportFuzzTest {
    private static final int SLOTS = 6;
    private static final int INLINE = 1024;
    private static final int WORK = 8192;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyClient(byte[] bytes) {
        new Server(ByteBuffer.wrap(bytes)).run();
    }

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyServer(byte[] bytes) {
        new Client(ByteBuffer.wrap(bytes)).run();
        PrivateData.parse(bytes);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    /** Messages are two bytes of length and the bytes. */
    private static int message(ByteBuffer input, ByteBuffer into) {
        int length = Math.min(input.getShort() & 0x3ff, input.remaining());
        into.put(0, input, input.position(), length);
        input.position(input.position() + length);
        return length;
    }

    private static final class Server implements ResponderPort {
        private final ByteBuffer input;
        private final ResponderMachine machine =
            new ResponderMachine(new ResponderSettings(3, SLOTS, INLINE, true, 2, WORK, WORK - 1000, 1, 40), this, new TransportCounters());
        private final ByteBuffer[] received = new ByteBuffer[SLOTS];
        private final ByteBuffer[] outgoing = new ByteBuffer[SLOTS + 1];
        private final ByteBuffer[] work = new ByteBuffer[2];
        private final Deque<Integer> posted = new ArrayDeque<>();
        private final Deque<Long> completions = new ArrayDeque<>();
        private final Set<Exchange> serving = new HashSet<>();

        Server(ByteBuffer input) {
            this.input = input;
            for (int i = 0; i < received.length; i++) {
                received[i] = ByteBuffer.allocate(INLINE);
            }
            for (int i = 0; i < outgoing.length; i++) {
                outgoing[i] = ByteBuffer.allocate(INLINE);
            }
            machine.begin();
        }

        void run() {
            while (input.remaining() > 2) {
                int move = input.get() & 7;
                if (move < 4 && !posted.isEmpty()) {
                    int slot = posted.remove();
                    machine.onMessage(slot, message(input, received[slot]));
                } else if (move < 6 && !completions.isEmpty()) {
                    machine.onCompletion(completions.remove());
                } else if (!serving.isEmpty()) {
                    answer(serving.iterator().next(), input.getShort() & 0x3fff);
                }
                machine.transmit();
            }
            for (int i = 0; i < 10_000 && !(serving.isEmpty() && completions.isEmpty()); i++) {
                if (!completions.isEmpty()) {
                    machine.onCompletion(completions.remove());
                } else {
                    answer(serving.iterator().next(), 8);
                }
                machine.transmit();
            }
            check(posted.size() == SLOTS, "receives are lost: " + posted.size());
        }

        private void answer(Exchange exchange, int size) {
            serving.remove(exchange);
            ByteBuffer message = exchange.message();
            check(message.remaining() >= 8 && message.getInt(0) == exchange.xid() && message.getInt(4) == 0, "no call");
            while (exchange.nextItemBytes() > 0) {
                int bytes = Math.min(exchange.nextItemBytes(), size);
                check(exchange.nextItem().remaining() >= bytes, "room");
                exchange.itemDone(bytes);
            }
            switch (size & 15) {
                case 1 -> machine.drop(exchange);
                case 2 -> machine.fail(exchange);
                case 3 -> machine.abort(exchange);
                default -> machine.reply(exchange, Math.min(size, exchange.reply().remaining()));
            }
        }

        @Override
        public void postReceive(int slot) {
            check(!posted.contains(slot), "posted twice");
            posted.add(slot);
        }

        @Override
        public void postRead(long id, int buffer, int offset, int length, long address, int rkey) {
            check(offset >= 0 && length > 0 && offset + length <= WORK, "READ outside the buffer");
            completions.add(id);
        }

        @Override
        public void postWrite(long id, boolean reporting, int buffer, int offset, int length, long address, int rkey) {
            check(offset >= 0 && length > 0 && offset + length <= WORK, "WRITE from outside the buffer");
            if (reporting) {
                completions.add(id);
            }
        }

        @Override
        public void postSend(long id, int buffer, int length, int rkey) {
            check(length > 0 && length <= INLINE, "SEND of " + length);
            completions.add(id);
        }

        @Override
        public ByteBuffer received(int slot) {
            return received[slot];
        }

        @Override
        public ByteBuffer outgoing(int buffer) {
            return outgoing[buffer];
        }

        @Override
        public ByteBuffer work(int buffer) {
            if (work[buffer] == null) {
                work[buffer] = ByteBuffer.allocate(WORK);
            }
            return work[buffer];
        }

        @Override
        public void serve(Exchange exchange) {
            check(serving.add(exchange), "served twice");
        }

        @Override
        public void reverseReply(int xid, ByteBuffer message, int at, int length) {
            throw new AssertionError("there are no calls");
        }

        @Override
        public void reverseFailed(int xid) {
            throw new AssertionError("there are no calls");
        }
    }

    private static final class Client implements RequesterPort {
        private static final int CALLS = 3;

        private final ByteBuffer input;
        private final RequesterMachine machine =
            new RequesterMachine(new RequesterSettings(CALLS, CALLS + 1, 1, true, 40), this, new TransportCounters());
        private final ByteBuffer[] buffers = new ByteBuffer[CALLS + 1];
        private final ByteBuffer[] outgoing = new ByteBuffer[CALLS + 1];
        private final Deque<Integer> posted = new ArrayDeque<>();
        private final Deque<Long> completions = new ArrayDeque<>();
        private final Set<Integer> keys = new HashSet<>();
        private int nextKey = 0x100;
        private int xid;
        private int underWay;

        Client(ByteBuffer input) {
            this.input = input;
            for (int i = 0; i < buffers.length; i++) {
                buffers[i] = ByteBuffer.allocate(INLINE);
                outgoing[i] = ByteBuffer.allocate(INLINE);
            }
            machine.begin();
            machine.onConnected(INLINE, 0);
        }

        void run() {
            while (input.remaining() > 2) {
                int move = input.get() & 7;
                if (move < 3 && !posted.isEmpty()) {
                    int slot = posted.remove();
                    int invalidated = move == 2 && !keys.isEmpty() ? keys.iterator().next() : 0;
                    keys.remove(invalidated);
                    machine.onMessage(slot, message(input, buffers[slot]), invalidated);
                } else if (move < 6 && !completions.isEmpty()) {
                    machine.onCompletion(completions.remove());
                } else if (machine.canTake()) {
                    ByteBuffer call = ByteBuffer.allocate(8).putInt(0, ++xid);
                    machine.call(xid, call, List.of(new Exposure(Exposure.Kind.READ, 8, 1, 0, 0, 100),
                        new Exposure(Exposure.Kind.WRITE, 0, 1, 0, 1000, 100), new Exposure(Exposure.Kind.REPLY, 0, 1, 0, 2000, 100)));
                    underWay++;
                }
                machine.transmit();
            }
        }

        @Override
        public void postReceive(int slot) {
            check(!posted.contains(slot), "posted twice");
            posted.add(slot);
        }

        @Override
        public int postBind(long id, boolean reporting, int window, Exposure memory) {
            keys.add(++nextKey);
            if (reporting) {
                completions.add(id);
            }
            return nextKey;
        }

        @Override
        public void postInvalidate(long id, boolean reporting, int rkey) {
            keys.remove(rkey);
            if (reporting) {
                completions.add(id);
            }
        }

        @Override
        public void postSend(long id, int buffer, int length) {
            check(length > 0 && length <= INLINE, "SEND of " + length);
            completions.add(id);
        }

        @Override
        public void postGatheredSend(long id, int buffer, int start, int before, Exposure memory, int after) {
            throw new AssertionError("the server receives no data");
        }

        @Override
        public ByteBuffer received(int slot) {
            return buffers[slot];
        }

        @Override
        public ByteBuffer outgoing(int buffer) {
            return outgoing[buffer];
        }

        @Override
        public void completed(ClientCall call, ByteBuffer b, int at) {
            check(--underWay >= 0, "answered without a call");
            for (int i = 0; i < 3; i++) {
                check(call.written(i) >= 0 && call.written(i) <= 100, "written");
            }
            check(call.isReplyInChunk() ? call.replyBytes() <= 100 : at >= 28 && at + call.replyBytes() <= INLINE, "reply outside");
        }

        @Override
        public void failed(ClientCall call, HeaderFault fault) {
            check(--underWay >= 0 && fault != null, "failed without a call");
        }

        @Override
        public void reverseCall(int number, ByteBuffer message, int at, int length) {
            check(length >= 8, "no call");
            machine.replyToReverse(number, length & 1);
        }
    }
}
