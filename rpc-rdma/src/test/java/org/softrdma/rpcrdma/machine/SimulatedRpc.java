// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.rpcrdma.wire.TransportHeader;

/**
 * A client's and a server's machine and a reliable connection between them, on virtual time: work requests are executed in order and after
 * a delay, and complete after another one. The oracle checks that a SEND meets a receive, that only memory is read and written which the
 * client exposes at that time, and that send queues do not overflow. {@link #breakConnection} ends the connection; the client gets a new
 * one, and the server a new machine.
 */
final class SimulatedRpc {
    static final int INLINE = 1024;
    static final int WORK = 60_000;
    private static final int SEND_QUEUE = 64;
    private static final int CALLS = 8;
    private static final int REVERSE = 2;

    /** The programs at both ends. */
    interface Programs {
        /** Executes a call, now or later. */
        void serve(Server server, Exchange exchange);

        void replied(ClientCall call, ByteBuffer reply, int at);

        void failed(ClientCall call, HeaderFault fault);

        void reverseReplied(int xid);
    }

    private record Event(long atNs, long number, Runnable what) {
    }

    final TransportCounters clientCounters = new TransportCounters();
    final TransportCounters serverCounters = new TransportCounters();
    final Client client;
    Server server;
    private final SplittableRandom random;
    private final Programs programs;
    private final PriorityQueue<Event> events = new PriorityQueue<>(
        (x, y) -> x.atNs != y.atNs ? Long.compare(x.atNs, y.atNs) : Long.compare(x.number, y.number));
    private final int grant;
    private final boolean invalidation;
    private long nowNs;
    private long numbers;
    private int generation;

    SimulatedRpc(long seed, boolean windows, Programs programs) {
        random = new SplittableRandom(seed);
        this.programs = programs;
        grant = random.nextInt(1, CALLS + 4);
        invalidation = windows;
        client = new Client(windows);
        connect();
    }

    private void connect() {
        generation++;
        server = new Server();
        server.machine.begin();
        client.machine.begin();
        client.machine.onConnected(INLINE, random.nextBoolean() ? INLINE : 0);
        client.machine.transmit();
    }

    /** Ends the connection, with all that is under way. */
    void breakConnection() {
        if (server.over) {
            return;
        }
        generation++;
        server.over = true;
        client.forgetConnection();
        client.machine.onDisconnected();
        at(nowNs + random.nextLong(10_000), this::connect);
    }

    void at(long timeNs, Runnable what) {
        events.add(new Event(timeNs, numbers++, what));
    }

    long nowNs() {
        return nowNs;
    }

    /**
     * Runs the next event.
     *
     * @return false if there is none
     */
    boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        nowNs = next.atNs;
        next.what.run();
        client.machine.transmit();
        if (!server.over) {
            server.machine.transmit();
        }
        return true;
    }

    private long delayNs() {
        return random.nextInt(10) == 0 ? random.nextLong(100_000) : random.nextLong(2_000);
    }

    /** One end's send queue: executes and completes in order. */
    private abstract class End {
        private long lastNs;
        private long lastCompletionNs;
        private int queued;
        private final int places;
        private int unreported;

        private End(int places) {
            this.places = places;
        }

        void post(long id, boolean reporting, Runnable execution, Runnable completion) {
            queued++;
            unreported++;
            assertTrue(queued <= places, "more work requests than the queue holds");
            int freed = unreported;
            if (reporting) {
                unreported = 0;
            }
            int born = generation;
            lastNs = Math.max(lastNs, nowNs + delayNs());
            at(lastNs, () -> {
                if (born == generation) {
                    execution.run();
                }
            });
            if (reporting) {
                lastCompletionNs = Math.max(lastCompletionNs, lastNs + delayNs());
                at(lastCompletionNs, () -> {
                    if (born == generation) {
                        queued -= freed;
                        completion.run();
                    }
                });
            }
        }

        void forgetConnection() {
            queued = 0;
            unreported = 0;
        }
    }

    /** The client's end and its memory. */
    final class Client extends End implements RequesterPort {
        final RequesterMachine machine;
        private final ByteBuffer[] received = new ByteBuffer[CALLS + REVERSE];
        private final ByteBuffer[] outgoing = new ByteBuffer[CALLS + REVERSE];
        private final ArrayDeque<Integer> receives = new ArrayDeque<>();
        /** Memory that is exposed now, by key. */
        private final Map<Integer, Exposure> exposed = new HashMap<>();
        final byte[] memory = new byte[1 << 20];

        private Client(boolean windows) {
            super(SEND_QUEUE);
            for (int i = 0; i < received.length; i++) {
                received[i] = ByteBuffer.allocate(INLINE);
                outgoing[i] = ByteBuffer.allocate(INLINE);
            }
            machine = new RequesterMachine(new RequesterSettings(CALLS, received.length, REVERSE, windows, SEND_QUEUE), this,
                clientCounters);
        }

        @Override
        void forgetConnection() {
            super.forgetConnection();
            receives.clear();
            if (invalidation) {
                exposed.clear();
            }
        }

        /** Exposes memory under the key of a region, where there are no windows. */
        void region(Exposure all) {
            exposed.put(all.rkey(), all);
        }

        /** Where an access of the server is in the memory; fails if it is not permitted. */
        private int place(int rkey, long address, int length, Exposure.Kind... kinds) {
            Exposure target = exposed.get(rkey);
            assertNotNull(target, () -> "the key 0x" + Integer.toHexString(rkey) + " is not valid");
            assertTrue(!invalidation || Arrays.asList(kinds).contains(target.kind()), () -> "access of another kind to " + target);
            assertTrue(address >= target.address() && address + length <= target.address() + target.length(), "outside " + target);
            return (int) address;
        }

        @Override
        public void postReceive(int slot) {
            receives.add(slot);
        }

        private void take(ByteBuffer message, int length, int rkey) {
            Integer slot = receives.poll();
            assertNotNull(slot, "the client has no receive");
            if (rkey != 0) {
                assertNotNull(exposed.remove(rkey), "the server invalidates a key that is not valid");
            }
            received[slot].put(0, message, 0, length);
            machine.onMessage(slot, length, rkey);
        }

        @Override
        public int postBind(long id, boolean reporting, int window, Exposure exposure) {
            int key = random.nextInt() | 1;
            post(id, reporting, () -> exposed.put(key, exposure), () -> machine.onCompletion(id));
            return key;
        }

        @Override
        public void postInvalidate(long id, boolean reporting, int rkey) {
            post(id, reporting, () -> assertNotNull(exposed.remove(rkey), "invalidated twice"), () -> machine.onCompletion(id));
        }

        @Override
        public void postSend(long id, int buffer, int length) {
            post(id, true, () -> server.take(outgoing[buffer], length), () -> machine.onCompletion(id));
        }

        @Override
        public void postGatheredSend(long id, int buffer, int start, int before, Exposure exposure, int after) {
            ByteBuffer message = ByteBuffer.allocate(INLINE);
            ByteBuffer parts = outgoing[buffer];
            post(id, true, () -> {
                message.put(parts.slice(start, before)).put(memory, (int) exposure.address(), exposure.length());
                message.put(parts.slice(start + before, after)).flip();
                server.take(message, message.limit());
            }, () -> machine.onCompletion(id));
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
        public void completed(ClientCall call, ByteBuffer b, int at) {
            for (int i = 0; invalidation && i < call.exposed(); i++) {
                assertTrue(!exposed.containsValue(call.exposure(i)), "reported before its memory was closed to the server");
            }
            programs.replied(call, b, at);
        }

        @Override
        public void failed(ClientCall call, HeaderFault fault) {
            programs.failed(call, fault);
        }

        @Override
        public void reverseCall(int number, ByteBuffer message, int at, int length) {
            assertEquals(0, message.getInt(at + 4));
            int xid = message.getInt(at);
            int born = generation;
            at(nowNs + delayNs(), () -> {
                if (born == generation) {
                    machine.reverseReply(number).putInt(TransportHeader.PLAIN_LENGTH, xid).putInt(TransportHeader.PLAIN_LENGTH + 4, 1);
                    machine.replyToReverse(number, 8);
                }
            });
        }
    }

    /** The server's end of one connection. */
    final class Server extends End implements ResponderPort {
        final ResponderMachine machine;
        final int born = generation;
        private final ByteBuffer[] received;
        private final ByteBuffer[] outgoing;
        private final ByteBuffer[] work = new ByteBuffer[3];
        private final ArrayDeque<Integer> receives = new ArrayDeque<>();
        boolean over;

        private Server() {
            super(SEND_QUEUE);
            int slots = grant + REVERSE + 1;
            received = new ByteBuffer[slots];
            outgoing = new ByteBuffer[slots + REVERSE];
            Arrays.setAll(received, i -> ByteBuffer.allocate(INLINE));
            Arrays.setAll(outgoing, i -> ByteBuffer.allocate(INLINE));
            machine = new ResponderMachine(new ResponderSettings(grant, slots, INLINE, invalidation, work.length, WORK, WORK - 20_000,
                REVERSE, SEND_QUEUE), this, serverCounters);
        }

        private void take(ByteBuffer message, int length) {
            Integer slot = receives.poll();
            assertNotNull(slot, "the server has no receive");
            received[slot].put(0, message, 0, length);
            machine.onMessage(slot, length);
        }

        @Override
        public void postReceive(int slot) {
            assertTrue(!receives.contains(slot), "posted twice");
            receives.add(slot);
        }

        @Override
        public void postRead(long id, int buffer, int offset, int length, long address, int rkey) {
            post(id, true, () -> work[buffer].put(offset, client.memory, client.place(rkey, address, length, Exposure.Kind.READ), length),
                () -> machine.onCompletion(id));
        }

        @Override
        public void postWrite(long id, boolean reporting, int buffer, int offset, int length, long address, int rkey) {
            post(id, reporting, () -> work[buffer].get(offset, client.memory,
                client.place(rkey, address, length, Exposure.Kind.WRITE, Exposure.Kind.REPLY), length), () -> machine.onCompletion(id));
        }

        @Override
        public void postSend(long id, int buffer, int length, int rkey) {
            assertTrue(length <= INLINE, "longer than the client receives");
            post(id, true, () -> client.take(outgoing[buffer], length, rkey), () -> machine.onCompletion(id));
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
            programs.serve(this, exchange);
        }

        @Override
        public void reverseReply(int xid, ByteBuffer message, int at, int length) {
            assertEquals(xid, message.getInt(at));
            assertEquals(8, length);
            programs.reverseReplied(xid);
        }

        @Override
        public void reverseFailed(int xid) {
            fail("the client refuses " + xid);
        }
    }
}
