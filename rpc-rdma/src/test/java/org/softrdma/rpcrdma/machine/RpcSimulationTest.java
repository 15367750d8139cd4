// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Tag;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.rpcrdma.wire.TransportHeader;

/**
 * Calls of all shapes as a seed decides, over connections that break: every call is answered, and each byte of calls, items and replies is
 * what the call's XID determines.
 */
class RpcSimulationTest {
    private static final int MAX_STEPS = 1_000_000;

    @Property(tries = 200)
    void shouldAnswerEveryCallWithWindows(@ForAll long seed) {
        new Run(seed, true, 0).run();
    }

    @Property(tries = 200)
    void shouldAnswerEveryCallOverBreakingConnections(@ForAll long seed) {
        new Run(seed, true, 5).run();
    }

    @Property(tries = 100)
    void shouldAnswerEveryCallWithRegions(@ForAll long seed) {
        new Run(seed, false, 3).run();
    }

    @Property(tries = 20_000)
    @Tag("soak")
    void shouldAnswerEveryCallForLong(@ForAll long seed) {
        new Run(seed, seed % 3 != 0, (int) (seed & 7)).run();
    }

    /** A call, and its reply, as its XID determines them. */
    private static final class Plan {
        final int xid;
        final byte[] message;
        /** Part of the message in a read chunk. */
        final int chunkStart;
        final int chunkBytes;
        final boolean longCall;
        /** Items of the result, each with the size of its memory. */
        final byte[][] items;
        final byte[] reply;
        final boolean hasReplyChunk;

        Plan(int xid) {
            this.xid = xid;
            SplittableRandom random = new SplittableRandom(xid);
            longCall = random.nextInt(4) == 0;
            boolean chunk = random.nextInt(3) == 0;
            int inline = 8 + 4 * random.nextInt(100);
            chunkBytes = longCall ? 8 + random.nextInt(20_000) : chunk ? random.nextInt(20_000) : 0;
            message = new byte[longCall ? chunkBytes : inline + (chunkBytes + 3 & ~3)];
            random.nextBytes(message);
            chunkStart = longCall ? 0 : 8 + 4 * random.nextInt((inline - 8) / 4 + 1);
            if (!longCall) {
                Arrays.fill(message, chunkStart + chunkBytes, chunkStart + (chunkBytes + 3 & ~3), (byte) 0);
            }
            ByteBuffer.wrap(message).putInt(0, xid).putInt(4, 0);
            items = new byte[random.nextInt(3) == 0 ? random.nextInt(3) : 0][];
            for (int i = 0; i < items.length; i++) {
                items[i] = new byte[random.nextInt(12_000)];
                random.nextBytes(items[i]);
            }
            hasReplyChunk = random.nextInt(3) == 0;
            reply = new byte[8 + random.nextInt(hasReplyChunk ? 15_000 : 600)];
            random.nextBytes(reply);
            ByteBuffer.wrap(reply).putInt(0, xid).putInt(4, 1);
        }

        boolean hasChunk() {
            return longCall || chunkBytes > 0;
        }
    }

    private static final class Run implements SimulatedRpc.Programs {
        private final long seed;
        private final SplittableRandom random;
        private final SimulatedRpc rpc;
        private final boolean windows;
        private final int calls;
        private final Set<Integer> answered = new HashSet<>();
        private final Map<Integer, List<Integer>> memories = new HashMap<>();
        private final List<Integer> freePlaces = new ArrayList<>();
        private int breaks;
        private int next = 1;
        private int reverseSent;
        private int reverseReplies;

        Run(long seed, boolean windows, int breaks) {
            this.seed = seed;
            this.windows = windows;
            this.breaks = breaks;
            random = new SplittableRandom(seed);
            calls = 1 + random.nextInt(60);
            // Places of 25,000 bytes in the client's memory, 4 for each call.
            for (int i = 0; i < 32; i++) {
                freePlaces.add(i * 25_000 + random.nextInt(5));
            }
            rpc = new SimulatedRpc(seed, windows, this);
            if (!windows) {
                rpc.client.region(new Exposure(Exposure.Kind.WRITE, 0, 0, 99, 0, rpc.client.memory.length));
            }
        }

        void run() {
            int steps = 0;
            boolean moved = true;
            while (moved) {
                submit();
                moved = rpc.step() || next <= calls;
                if (breaks > 0 && random.nextInt(300) == 0) {
                    breaks--;
                    rpc.breakConnection();
                    moved = true;
                }
                assertTrue(++steps < MAX_STEPS, "no end, seed " + seed);
            }
            assertEquals(calls, answered.size(), "seed " + seed);
            assertTrue(rpc.client.machine.isIdle());
            for (HeaderFault each : HeaderFault.values()) {
                assertEquals(0, rpc.serverCounters.get(each) + rpc.clientCounters.get(each), each + ", seed " + seed);
            }
        }

        private void submit() {
            while (next <= calls && rpc.client.machine.canTake() && random.nextInt(3) != 0) {
                Plan plan = new Plan(((int) seed ^ 0x5555) * 1000 + next++);
                List<Exposure> exposures = new ArrayList<>();
                List<Integer> places = new ArrayList<>();
                if (plan.hasChunk()) {
                    int place = expose(exposures, places, Exposure.Kind.READ, plan.chunkStart, plan.chunkBytes);
                    System.arraycopy(plan.message, plan.chunkStart, rpc.client.memory, place, plan.chunkBytes);
                }
                for (byte[] item : plan.items) {
                    expose(exposures, places, Exposure.Kind.WRITE, 0, item.length + random.nextInt(5));
                }
                if (plan.hasReplyChunk) {
                    expose(exposures, places, Exposure.Kind.REPLY, 0, plan.reply.length + random.nextInt(5));
                }
                ByteBuffer inline = ByteBuffer.allocate(plan.message.length);
                if (!plan.longCall) {
                    inline.put(plan.message, 0, plan.chunkBytes > 0 ? plan.chunkStart : plan.message.length);
                    int end = plan.chunkStart + (plan.chunkBytes + 3 & ~3);
                    if (plan.chunkBytes > 0) {
                        inline.put(plan.message, end, plan.message.length - end);
                    }
                }
                assertTrue(rpc.client.machine.call(plan.xid, inline.flip(), exposures) != null);
                memories.put(plan.xid, places);
                rpc.client.machine.transmit();
            }
        }

        private int expose(List<Exposure> exposures, List<Integer> places, Exposure.Kind kind, int position, int length) {
            int place = freePlaces.removeLast();
            places.add(place);
            exposures.add(new Exposure(kind, position, 0, windows ? 0 : 99, place, length));
            return place;
        }

        @Override
        public void serve(SimulatedRpc.Server server, Exchange exchange) {
            long delayNs = random.nextInt(4) == 0 ? random.nextLong(50_000) : 0;
            if (delayNs == 0) {
                execute(server, exchange);
            } else {
                rpc.at(rpc.nowNs() + delayNs, () -> {
                    if (!server.over) {
                        execute(server, exchange);
                    }
                });
            }
        }

        private void execute(SimulatedRpc.Server server, Exchange exchange) {
            Plan plan = new Plan(exchange.xid());
            byte[] message = new byte[exchange.message().remaining()];
            exchange.message().get(0, message);
            assertArrayEquals(plan.message, message, "seed " + seed);
            for (byte[] item : plan.items) {
                assertTrue(exchange.nextItemBytes() >= item.length, "room for an item");
                exchange.nextItem().put(item);
                exchange.itemDone(item.length);
            }
            assertEquals(0, exchange.nextItemBytes());
            exchange.reply().put(plan.reply);
            server.machine.reply(exchange, plan.reply.length);
            if (random.nextInt(5) == 0) {
                callBack(server);
            }
        }

        private void callBack(SimulatedRpc.Server server) {
            int buffer = server.machine.beginCall();
            if (buffer >= 0) {
                int xid = ++reverseSent;
                server.outgoing(buffer).putInt(TransportHeader.PLAIN_LENGTH, xid).putInt(TransportHeader.PLAIN_LENGTH + 4, 0);
                server.machine.call(buffer, xid, 8);
            }
        }

        @Override
        public void replied(ClientCall call, ByteBuffer b, int at) {
            Plan plan = new Plan(call.xid());
            List<Integer> places = memories.remove(call.xid());
            assertTrue(answered.add(call.xid()), "answered twice, seed " + seed);
            assertEquals(plan.reply.length, call.replyBytes());
            byte[] reply = new byte[plan.reply.length];
            if (call.isReplyInChunk()) {
                System.arraycopy(rpc.client.memory, places.getLast(), reply, 0, reply.length);
            } else {
                b.get(at, reply);
            }
            assertArrayEquals(plan.reply, reply, "seed " + seed);
            int first = plan.hasChunk() ? 1 : 0;
            for (int i = 0; i < plan.items.length; i++) {
                assertEquals(plan.items[i].length, call.written(first + i));
                int place = places.get(first + i);
                assertArrayEquals(plan.items[i], Arrays.copyOfRange(rpc.client.memory, place, place + plan.items[i].length));
            }
            freePlaces.addAll(places);
        }

        @Override
        public void failed(ClientCall call, HeaderFault fault) {
            fail(fault + " of " + call.xid() + ", seed " + seed);
        }

        @Override
        public void reverseReplied(int xid) {
            assertTrue(++reverseReplies <= reverseSent);
        }
    }
}
