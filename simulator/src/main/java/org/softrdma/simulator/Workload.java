// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.simulator.PlannedRequest.Kind;

/**
 * Plans the requests of all streams, in one order in which each could be executed alone, and replays that order on the expected memory.
 * Slots are private to a stream, so that the order among streams does not matter, but for the words that all streams count on together.
 */
final class Workload {
    private static final int SHARED_WORDS = 2;
    private static final int MEBIBYTE = 1 << 20;

    private final Scenario scenario;
    private final SplittableRandom random;
    private final Placement placement;
    private final List<PlannedRequest> order = new ArrayList<>();
    private final Map<RequestStream, StreamPlan> plans = new HashMap<>();
    private final Map<Side, List<Slot>> sharedWords = new HashMap<>();
    private int packetsLeft;

    /** State of a stream's plan that later requests refer to. */
    private static final class StreamPlan {
        final RequestStream stream;
        final RequestStream reverse;
        final List<PlannedRequest> writes = new ArrayList<>();
        /** Slots in the target's memory that a READ takes from: to be overwritten behind a fence only. */
        final List<Slot> readFrom = new ArrayList<>();
        final Slot privateWord;
        long privateValue;
        WindowEpisode window;
        PlannedRequest lastUse;
        boolean bound;
        int sinceSignaled;

        StreamPlan(RequestStream stream, RequestStream reverse, Slot privateWord) {
            this.stream = stream;
            this.reverse = reverse;
            this.privateWord = privateWord;
        }
    }

    Workload(Scenario scenario, SplittableRandom random) {
        this.scenario = scenario;
        this.random = random;
        placement = new Placement(random, scenario.maxSge());
        packetsLeft = scenario.packetBudget();
    }

    /**
     * Plans everything.
     *
     * @param streams both directions of each queue pair, one after the other
     */
    void plan(List<RequestStream> streams) {
        for (int i = 0; i < streams.size(); i++) {
            RequestStream stream = streams.get(i);
            plans.put(stream, new StreamPlan(stream, streams.get(i ^ 1), placement.memoryOf(stream.target).reserve(8, 8)));
            sharedWords.computeIfAbsent(stream.target.side, side -> List.of(side.memory.reserve(8, 8), side.memory.reserve(8, 8)));
        }
        int giantAt = scenario.giantBytes() == 0 ? -1 : random.nextInt(20);
        for (int i = 0; i < scenario.requests() * streams.size() && packetsLeft > 0; i++) {
            StreamPlan plan = plans.get(streams.get(random.nextInt(streams.size())));
            if (i == giantAt) {
                planGiant(plan);
            } else {
                planOne(plan);
            }
        }
        for (RequestStream stream : streams) {
            if (!stream.requests.isEmpty()) {
                stream.requests.getLast().signaled = true;
            }
        }
    }

    private void planOne(StreamPlan plan) {
        int dice = random.nextInt(100);
        if (dice < 35) {
            planSend(plan, random.nextBoolean() ? Kind.SEND : Kind.SEND_IMM, drawLength());
        } else if (dice < 55) {
            planWrite(plan, Kind.WRITE, drawLength());
        } else if (dice < 62) {
            planWrite(plan, Kind.WRITE_IMM, drawLength());
        } else if (dice < 77) {
            // A region that goes away is worth READs that a device cannot answer in one go.
            boolean slow = plan.stream.target.doomed != null && random.nextInt(3) == 0;
            planRead(plan, slow ? scenario.mtu().bytes() * (65 + random.nextInt(100)) : drawLength());
        } else if (dice < 88) {
            planAtomic(plan);
        } else {
            planWindow(plan);
        }
    }

    /** A message as long as a device must take, which the budget does not pay for. */
    private void planGiant(StreamPlan plan) {
        int budget = packetsLeft;
        switch (random.nextInt(3)) {
            case 0 -> planSend(plan, Kind.SEND, scenario.giantBytes());
            case 1 -> planWrite(plan, Kind.WRITE_IMM, scenario.giantBytes());
            default -> planRead(plan, scenario.giantBytes());
        }
        packetsLeft = budget;
    }

    private PlannedRequest add(StreamPlan plan, Kind kind, int length) {
        PlannedRequest request = new PlannedRequest(plan.stream, kind, length);
        plan.stream.requests.add(request);
        order.add(request);
        request.immediate = random.nextInt();
        request.fence = random.nextInt(8) == 0;
        request.solicited = random.nextInt(4) == 0;
        request.signaled = scenario.signalAll() || random.nextDouble() < scenario.signaled()
            || ++plan.sinceSignaled >= scenario.sendDepth();
        plan.sinceSignaled = request.signaled ? 0 : plan.sinceSignaled;
        packetsLeft -= 1 + length / scenario.mtu().bytes();
        return request;
    }

    private PlannedRequest planSend(StreamPlan plan, Kind kind, int wanted) {
        ReceivePool pool = plan.stream.target.pool;
        int length = pool == null ? wanted : Math.min(wanted, pool.slotBytes());
        PlannedRequest request = add(plan, kind, length);
        placement.addElements(request);
        placement.drawInline(request);
        if (pool == null) {
            int room = random.nextInt(3) == 0 ? length + random.nextInt(100) : length;
            request.receive = placement.split(plan.stream.target, room, room == 0 ? 0 : 1 + random.nextInt(scenario.maxSge()));
        }
        plan.stream.receives.add(request);
        return request;
    }

    private void planWrite(StreamPlan plan, Kind kind, int length) {
        boolean again = !plan.writes.isEmpty() && random.nextInt(3) == 0 && length != scenario.giantBytes();
        PlannedRequest earlier = again ? plan.writes.get(random.nextInt(plan.writes.size())) : null;
        int bytes = earlier == null ? length : random.nextInt(earlier.length + 1);
        PlannedRequest request = add(plan, kind, bytes);
        placement.addElements(request);
        placement.drawInline(request);
        request.remote = remoteSlot(plan, earlier, bytes);
        request.fence |= earlier != null && plan.readFrom.contains(earlier.remote);
        if (earlier == null) {
            plan.writes.add(request);
        }
        if (kind == Kind.WRITE_IMM) {
            request.receive = plan.stream.target.pool != null ? null
                : placement.split(plan.stream.target, random.nextInt(50), random.nextInt(scenario.maxSge() + 1));
            plan.stream.receives.add(request);
        }
    }

    /** Fresh bytes of the target's, or some of those an earlier WRITE wrote to. */
    private Slot remoteSlot(StreamPlan plan, PlannedRequest earlier, int bytes) {
        return earlier == null ? placement.memoryOf(plan.stream.target).reserve(bytes, 1 + random.nextInt(8))
            : earlier.remote.part(random.nextInt(earlier.length - bytes + 1), bytes);
    }

    private void planRead(StreamPlan plan, int length) {
        boolean ofWrite = !plan.writes.isEmpty() && random.nextInt(2) == 0 && length != scenario.giantBytes();
        PlannedRequest earlier = ofWrite ? plan.writes.get(random.nextInt(plan.writes.size())) : null;
        int bytes = earlier == null ? length : random.nextInt(earlier.length + 1);
        PlannedRequest request = add(plan, Kind.READ, bytes);
        placement.addElements(request);
        request.remote = remoteSlot(plan, earlier, bytes);
        if (earlier != null) {
            plan.readFrom.add(earlier.remote);
        }
    }

    private void planAtomic(StreamPlan plan) {
        boolean shared = random.nextBoolean();
        PlannedRequest request = add(plan, random.nextBoolean() ? Kind.SWAP : Kind.ADD, 8);
        request.local = List.of(placement.memoryOf(request.stream.initiator).reserve(8, 1 + random.nextInt(8)));
        request.swapOrAdd = random.nextLong();
        request.sharedWord = shared ? random.nextInt(SHARED_WORDS) : -1;
        request.remote = shared ? sharedWords.get(plan.stream.target.side).get(request.sharedWord) : plan.privateWord;
        // Half of the private swaps succeed; what the word holds before the first one is learnt when memory is filled.
        request.compare = random.nextInt(3) == 0 ? random.nextLong() : 0;
    }

    /** Binds a window in the target's memory, uses it, and ends it one way or the other. */
    private void planWindow(StreamPlan plan) {
        if (!plan.bound) {
            int length = 1 + random.nextInt(5000);
            WindowEpisode episode = new WindowEpisode(plan.window, plan.stream.target.side.memory.reserve(length, 1));
            PlannedRequest bind = add(plans.get(plan.reverse), Kind.BIND, 0);
            bind.window = episode;
            bind.signaled = true;
            bind.after = plan.lastUse;
            episode.bind = bind;
            plan.window = episode;
            plan.lastUse = bind;
            plan.bound = true;
            return;
        }
        PlannedRequest request;
        int dice = random.nextInt(4);
        if (dice == 0) {
            int bytes = 1 + random.nextInt(plan.window.range.length());
            request = add(plan, Kind.WRITE, bytes);
            placement.addElements(request);
            request.remote = plan.window.range.part(random.nextInt(plan.window.range.length() - bytes + 1), bytes);
            request.fence = true;
        } else if (dice == 1) {
            int bytes = 1 + random.nextInt(plan.window.range.length());
            request = add(plan, Kind.READ, bytes);
            placement.addElements(request);
            request.remote = plan.window.range.part(random.nextInt(plan.window.range.length() - bytes + 1), bytes);
        } else if (dice == 2) {
            request = planSend(plan, Kind.SEND_INV, drawLength());
            request.fence = true;
            plan.bound = false;
        } else {
            request = add(plans.get(plan.reverse), Kind.UNBIND, 0);
            plan.bound = false;
        }
        request.window = plan.window;
        request.signaled = true;
        request.after = request.stream == plan.stream ? plan.window.bind : plan.lastUse;
        plan.lastUse = request;
    }

    /** Packets the requests of a connection take if nothing goes wrong. */
    static int plannedPackets(RequestStream stream, int mtu) {
        return stream.requests.stream().mapToInt(request -> 1 + request.length / mtu).sum();
    }

    private int drawLength() {
        int mtu = scenario.mtu().bytes();
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2, 3 -> mtu - 1 + random.nextInt(3);
            case 4, 5 -> mtu * (1 + random.nextInt(6)) - 1 + random.nextInt(3);
            case 6 -> random.nextInt(Math.min(mtu * 40, 100_000));
            case 7 -> random.nextInt(60) == 0 && mtu >= 1024 ? MEBIBYTE - 1 + random.nextInt(3) : random.nextInt(mtu * 3);
            default -> random.nextInt(200);
        };
    }

    /** Private swaps compare with what the word will hold, so that most succeed. Memory must be filled. */
    void settleSwaps() {
        for (StreamPlan plan : plans.values()) {
            plan.privateValue = plan.privateWord.memory().expectedWord(plan.privateWord);
        }
        for (PlannedRequest request : order) {
            StreamPlan plan = plans.get(request.stream);
            long before = request.sharedWord < 0 ? plan.privateValue : request.remote.memory().expectedWord(request.remote);
            if (request.kind == Kind.SWAP && request.compare == 0) {
                request.compare = before;
            }
            if (request.kind.isAtomic() && request.sharedWord < 0) {
                plan.privateValue = after(request, before);
            }
        }
    }

    private static long after(PlannedRequest atomic, long before) {
        return atomic.kind == Kind.ADD ? before + atomic.swapOrAdd : before == atomic.compare ? atomic.swapOrAdd : before;
    }

    /** Executes what is known to be complete on the expected memory; of what is not, any byte may have been placed or not. */
    void expectEffects() {
        Map<Slot, List<PlannedRequest>> shared = new LinkedHashMap<>();
        for (PlannedRequest request : order) {
            RequestStream stream = request.stream;
            if (request.index >= stream.posted()) {
                continue;
            }
            boolean done = request.index < stream.done();
            if (request.kind.consumesReceive()) {
                expectReceive(request, done);
            }
            if (request.kind.isWrite() && !request.refused) {
                place(List.of(request.remote), request.source(), done);
            } else if (request.kind == Kind.READ) {
                expectRead(request, done);
            } else if (request.kind.isAtomic()) {
                if (request.sharedWord >= 0) {
                    shared.computeIfAbsent(request.remote, word -> new ArrayList<>()).add(request);
                } else {
                    expectPrivateAtomic(request, done);
                }
            }
            if (request.inline) {
                request.local.forEach(slot -> slot.memory().expectScribble(slot));
            }
        }
        shared.values().forEach(Workload::checkSharedWord);
    }

    private static void expectReceive(PlannedRequest request, boolean done) {
        RequestStream stream = request.stream;
        boolean received = stream.receives.indexOf(request) < stream.receivesDone();
        if (done && !received && !stream.target.overrun) {
            throw new AssertionError(request + " is complete, but was never received");
        }
        if (request.kind.isSend() && request.receive != null) {
            place(request.receive, request.source(), received);
        }
    }

    private static void expectRead(PlannedRequest request, boolean done) {
        if (request.remote.memory().knows(request.remote)) {
            place(request.local, request.remote.expected(), done);
        } else {
            request.local.forEach(slot -> slot.memory().forget(slot.at(), slot.length()));
        }
    }

    /** @param done whether the bytes have surely been placed */
    private static void place(List<Slot> slots, byte[] data, boolean done) {
        int placed = 0;
        for (Slot slot : slots) {
            int bytes = Math.min(slot.length(), data.length - placed);
            if (done) {
                slot.memory().expect(slot.at(), data, placed, bytes);
            } else {
                slot.memory().mayBecome(slot.at(), data, placed, bytes);
            }
            placed += bytes;
        }
    }

    private static void expectPrivateAtomic(PlannedRequest request, boolean done) {
        Slot word = request.remote;
        Slot result = request.local.getFirst();
        if (done) {
            long before = word.memory().expectedWord(word);
            result.memory().expectWord(result, before);
            word.memory().expectWord(word, after(request, before));
        } else {
            result.memory().forget(result.at(), Long.BYTES);
            word.memory().forget(word.at(), Long.BYTES);
        }
    }

    /** The values returned must fit one order of all atomics on the word, in which each queue pair's own stand as posted. */
    private static void checkSharedWord(List<PlannedRequest> atomics) {
        Slot word = atomics.getFirst().remote;
        ShadowedMemory target = word.memory();
        boolean allKnown = true;
        for (PlannedRequest request : atomics) {
            Slot result = request.local.getFirst();
            request.original = result.memory().word(result);
            result.memory().expectWord(result, request.original);
            allKnown &= request.index < request.stream.done();
        }
        long value = target.expectedWord(word);
        target.expectWord(word, target.word(word));
        if (!allKnown) {
            return;
        }
        List<PlannedRequest> left = new ArrayList<>(atomics);
        Map<RequestStream, Integer> last = new HashMap<>();
        while (!left.isEmpty()) {
            long now = value;
            PlannedRequest next = pick(left, last, now, true);
            next = next == null ? pick(left, last, now, false) : next;
            if (next == null) {
                throw new AssertionError("no order of atomics explains their results: at " + Long.toHexString(now) + " with " + left);
            }
            left.remove(next);
            last.put(next.stream, next.index);
            value = after(next, now);
        }
        if (value != target.word(word)) {
            throw new AssertionError("shared word holds " + Long.toHexString(target.word(word)) + " instead of " + Long.toHexString(value));
        }
    }

    /** The next atomic of any stream that found {@code now}; with {@code idle}, one that changed nothing. */
    private static PlannedRequest pick(List<PlannedRequest> left, Map<RequestStream, Integer> last, long now, boolean idle) {
        for (PlannedRequest request : left) {
            boolean firstOfStream = left.stream().noneMatch(other -> other.stream == request.stream && other.index < request.index);
            if (firstOfStream && request.original == now && (after(request, now) == now) == idle
                && request.index > last.getOrDefault(request.stream, -1)) {
                return request;
            }
        }
        return null;
    }
}
