// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.HashMap;
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
    private final List<PlannedRequest> order = new ArrayList<>();
    private final Map<RequestStream, StreamPlan> plans = new HashMap<>();
    private final Map<Side, int[]> sharedWords = new HashMap<>();
    private int packetsLeft;

    /** What later requests of a stream may refer to. */
    private static final class StreamPlan {
        final RequestStream stream;
        final RequestStream reverse;
        final List<PlannedRequest> writes = new ArrayList<>();
        /** Slots in the target's memory that a READ takes from: to be overwritten behind a fence only. */
        final List<Integer> readFrom = new ArrayList<>();
        final int privateWord;
        long privateValue;
        WindowEpisode window;
        PlannedRequest lastUse;
        boolean bound;
        int sinceSignaled;

        StreamPlan(RequestStream stream, RequestStream reverse, int privateWord) {
            this.stream = stream;
            this.reverse = reverse;
            this.privateWord = privateWord;
        }
    }

    Workload(Scenario scenario, SplittableRandom random) {
        this.scenario = scenario;
        this.random = random;
        packetsLeft = scenario.packetBudget();
    }

    /** Plans everything. @param streams both directions of each queue pair, one after the other */
    void plan(List<RequestStream> streams) {
        for (int i = 0; i < streams.size(); i++) {
            RequestStream stream = streams.get(i);
            plans.put(stream, new StreamPlan(stream, streams.get(i ^ 1), stream.target.memory.reserve(8, 8)));
            sharedWords.computeIfAbsent(stream.target, side -> new int[] {side.memory.reserve(8, 8), side.memory.reserve(8, 8)});
        }
        for (int i = 0; i < scenario.requests() * streams.size() && packetsLeft > 0; i++) {
            planOne(plans.get(streams.get(random.nextInt(streams.size()))));
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
            planRead(plan);
        } else if (dice < 88) {
            planAtomic(plan);
        } else {
            planWindow(plan);
        }
    }

    private PlannedRequest add(StreamPlan plan, Kind kind, int length) {
        PlannedRequest request = new PlannedRequest(plan.stream, kind, length);
        plan.stream.requests.add(request);
        order.add(request);
        request.immediate = random.nextInt();
        request.fence = random.nextInt(8) == 0;
        request.solicited = random.nextInt(4) == 0;
        request.signaled = random.nextDouble() < scenario.signaled() || ++plan.sinceSignaled >= scenario.sendDepth();
        plan.sinceSignaled = request.signaled ? 0 : plan.sinceSignaled;
        packetsLeft -= 1 + length / scenario.mtu().bytes();
        return request;
    }

    /** Gives a request its elements: fresh slots of the initiator's memory. */
    private void addElements(PlannedRequest request, int length) {
        int count = length == 0 ? random.nextInt(2) : 1 + random.nextInt(scenario.maxSge());
        int[][] parts = split(request.stream.initiator.memory, length, count);
        request.localAt = parts[0];
        request.localLength = parts[1];
    }

    private int[][] split(ShadowedMemory memory, int length, int count) {
        int[] at = new int[count];
        int[] lengths = new int[count];
        int left = length;
        for (int i = 0; i < count; i++) {
            lengths[i] = i == count - 1 ? left : random.nextInt(4) == 0 ? 0 : random.nextInt(left + 1);
            at[i] = memory.reserve(lengths[i], 1 + random.nextInt(8));
            left -= lengths[i];
        }
        return new int[][] {at, lengths};
    }

    private PlannedRequest planSend(StreamPlan plan, Kind kind, int length) {
        PlannedRequest request = add(plan, kind, length);
        addElements(request, length);
        drawInline(request);
        int room = random.nextInt(3) == 0 ? length + random.nextInt(100) : length;
        int[][] parts = split(plan.stream.target.memory, room, room == 0 ? 0 : 1 + random.nextInt(scenario.maxSge()));
        plan.stream.receives.add(new RequestStream.PlannedReceive(request, parts[0], parts[1]));
        return request;
    }

    private void planWrite(StreamPlan plan, Kind kind, int length) {
        boolean again = !plan.writes.isEmpty() && random.nextInt(3) == 0;
        PlannedRequest earlier = again ? plan.writes.get(random.nextInt(plan.writes.size())) : null;
        int bytes = earlier == null ? length : random.nextInt(earlier.length + 1);
        PlannedRequest request = add(plan, kind, bytes);
        addElements(request, bytes);
        drawInline(request);
        request.remoteAt = earlier == null ? plan.stream.target.memory.reserve(bytes, 1 + random.nextInt(8))
            : earlier.remoteAt + random.nextInt(earlier.length - bytes + 1);
        request.fence |= earlier != null && plan.readFrom.contains(earlier.remoteAt);
        if (earlier == null) {
            plan.writes.add(request);
        }
        if (kind == Kind.WRITE_IMM) {
            int[][] parts = split(plan.stream.target.memory, random.nextInt(50), random.nextInt(scenario.maxSge() + 1));
            plan.stream.receives.add(new RequestStream.PlannedReceive(request, parts[0], parts[1]));
        }
    }

    private void planRead(StreamPlan plan) {
        boolean ofWrite = !plan.writes.isEmpty() && random.nextInt(2) == 0;
        PlannedRequest earlier = ofWrite ? plan.writes.get(random.nextInt(plan.writes.size())) : null;
        int bytes = earlier == null ? drawLength() : random.nextInt(earlier.length + 1);
        PlannedRequest request = add(plan, Kind.READ, bytes);
        addElements(request, bytes);
        request.remoteAt = earlier == null ? plan.stream.target.memory.reserve(bytes, 1 + random.nextInt(8))
            : earlier.remoteAt + random.nextInt(earlier.length - bytes + 1);
        if (earlier != null) {
            plan.readFrom.add(earlier.remoteAt);
        }
    }

    private void planAtomic(StreamPlan plan) {
        boolean shared = random.nextBoolean();
        PlannedRequest request = add(plan, random.nextBoolean() ? Kind.SWAP : Kind.ADD, 8);
        request.localAt = new int[] {request.stream.initiator.memory.reserve(8, 1 + random.nextInt(8))};
        request.localLength = new int[] {8};
        request.swapOrAdd = random.nextLong();
        request.sharedWord = shared ? random.nextInt(SHARED_WORDS) : -1;
        request.remoteAt = shared ? sharedWords.get(plan.stream.target)[request.sharedWord] : plan.privateWord;
        // Half of the private swaps succeed; what the word holds before the first one is learnt when memory is filled.
        request.compare = random.nextInt(3) == 0 ? random.nextLong() : 0;
    }

    /** Binds a window in the target's memory, uses it, and ends it one way or the other. */
    private void planWindow(StreamPlan plan) {
        if (!plan.bound) {
            int length = 1 + random.nextInt(5000);
            WindowEpisode episode = new WindowEpisode(plan.window, plan.stream.target.memory.reserve(length, 1), length);
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
            int bytes = 1 + random.nextInt(plan.window.length);
            request = add(plan, Kind.WRITE, bytes);
            addElements(request, bytes);
            request.remoteAt = plan.window.at + random.nextInt(plan.window.length - bytes + 1);
            request.fence = true;
        } else if (dice == 1) {
            int bytes = 1 + random.nextInt(plan.window.length);
            request = add(plan, Kind.READ, bytes);
            addElements(request, bytes);
            request.remoteAt = plan.window.at + random.nextInt(plan.window.length - bytes + 1);
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

    private void drawInline(PlannedRequest request) {
        request.inline = request.length <= Side.MAX_INLINE && random.nextInt(3) == 0;
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
            plan.privateValue = plan.stream.target.memory.expectedWord(plan.privateWord);
        }
        for (PlannedRequest request : order) {
            StreamPlan plan = plans.get(request.stream);
            long before = request.sharedWord < 0 ? plan.privateValue : request.stream.target.memory.expectedWord(request.remoteAt);
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

    /** Executes what is known to be complete on the expected memory and gives up on what is not. */
    void expectEffects() {
        Map<Object, List<PlannedRequest>> shared = new HashMap<>();
        for (PlannedRequest request : order) {
            RequestStream stream = request.stream;
            if (request.index >= stream.posted()) {
                continue;
            }
            boolean done = request.index < stream.done();
            if (request.kind.consumesReceive()) {
                expectReceive(request, done);
            }
            if (request.kind.isWrite()) {
                place(stream.target.memory, new int[] {request.remoteAt}, new int[] {request.length}, sourceOf(request), done);
            } else if (request.kind == Kind.READ) {
                place(stream.initiator.memory, request.localAt, request.localLength,
                    stream.target.memory.expected(request.remoteAt, request.length), done);
            } else if (request.kind.isAtomic()) {
                if (request.sharedWord >= 0) {
                    shared.computeIfAbsent(List.of(stream.target.gid, request.remoteAt), word -> new ArrayList<>()).add(request);
                } else {
                    expectPrivateAtomic(request, done);
                }
            }
            if (request.inline) {
                for (int i = 0; i < request.localAt.length; i++) {
                    stream.initiator.memory.expectScribble(request.localAt[i], request.localLength[i]);
                }
            }
        }
        shared.values().forEach(Workload::checkSharedWord);
    }

    private static byte[] sourceOf(PlannedRequest request) {
        byte[] data = new byte[request.length];
        int at = 0;
        for (int i = 0; i < request.localAt.length; i++) {
            System.arraycopy(request.stream.initiator.memory.expected(request.localAt[i], request.localLength[i]), 0, data, at,
                request.localLength[i]);
            at += request.localLength[i];
        }
        return data;
    }

    private static void expectReceive(PlannedRequest request, boolean done) {
        RequestStream stream = request.stream;
        int index = 0;
        while (stream.receives.get(index).taker() != request) {
            index++;
        }
        boolean received = index < stream.receivesDone();
        if (done && !received) {
            throw new AssertionError(request + " is complete, but was never received");
        }
        if (request.kind.isSend()) {
            RequestStream.PlannedReceive receive = stream.receives.get(index);
            place(stream.target.memory, receive.at(), receive.length(), sourceOf(request), received);
        }
    }

    private static void place(ShadowedMemory memory, int[] at, int[] length, byte[] data, boolean known) {
        int placed = 0;
        for (int i = 0; i < at.length; i++) {
            int bytes = Math.min(length[i], data.length - placed);
            if (known) {
                memory.expect(at[i], data, placed, bytes);
            } else {
                memory.forget(at[i], bytes);
            }
            placed += bytes;
        }
    }

    private static void expectPrivateAtomic(PlannedRequest request, boolean done) {
        ShadowedMemory target = request.stream.target.memory;
        ShadowedMemory initiator = request.stream.initiator.memory;
        long before = target.expectedWord(request.remoteAt);
        if (done) {
            initiator.expectWord(request.localAt[0], before);
            target.expectWord(request.remoteAt, after(request, before));
        } else {
            initiator.forget(request.localAt[0], 8);
            target.forget(request.remoteAt, 8);
        }
    }

    /** The values returned must fit one order of all atomics on the word, in which each queue pair's own stand as posted. */
    private static void checkSharedWord(List<PlannedRequest> atomics) {
        ShadowedMemory target = atomics.getFirst().stream.target.memory;
        int word = atomics.getFirst().remoteAt;
        boolean allKnown = true;
        for (PlannedRequest request : atomics) {
            ShadowedMemory initiator = request.stream.initiator.memory;
            request.original = initiator.word(request.localAt[0]);
            initiator.expectWord(request.localAt[0], request.original);
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
