// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.simulator.PlannedRequest.Destination;
import org.softrdma.simulator.PlannedRequest.Kind;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WorkCompletion;

/**
 * Plans the requests of UC and UD queue pairs, and judges what is received of them. Nobody can know what arrives, so every message says
 * which one it is, in its immediate data or its first bytes, and {@link Arrivals} knows from the wire whether it can have come.
 */
final class LooseWorkload {
    private static final int GRH_BYTES = 40;
    private static final int IPV4_AT = 20;
    private static final int LAST_WORD_BYTES = 16;
    private static final int LONGEST_DATAGRAM = 4096;

    private final Scenario scenario;
    private final SplittableRandom random;
    private final Placement placement;
    private final List<PlannedRequest> order = new ArrayList<>();
    private final Map<Integer, PlannedRequest> byId = new HashMap<>();
    /** Last message of each stream, sent when everything else is over. */
    private final Map<RequestStream, PlannedRequest> lastWords = new HashMap<>();
    private final Map<RequestStream, Integer> sinceSignaled = new HashMap<>();
    /** Receivers of each message, and how often each received it. */
    private final Map<PlannedRequest, List<Endpoint>> receivers = new HashMap<>();
    /** All datagram queue pairs. */
    private final List<Endpoint> datagrams = new ArrayList<>();
    private int packetsLeft;

    LooseWorkload(Scenario scenario, SplittableRandom random) {
        this.scenario = scenario;
        this.random = random;
        placement = new Placement(random, scenario.maxSge());
        packetsLeft = scenario.mix().packets();
    }

    /** Plans everything. */
    void plan(List<RequestStream> streams) {
        streams.stream().map(stream -> stream.initiator).filter(each -> each.service == QpType.UD).forEach(datagrams::add);
        for (int i = scenario.mix().messages() * streams.size(); i > 0 && packetsLeft > 0; i--) {
            RequestStream stream = streams.get(random.nextInt(streams.size()));
            stream.requests.add(planOne(stream));
        }
        for (RequestStream stream : streams) {
            if (!stream.requests.isEmpty()) {
                stream.requests.getLast().signaled = true;
            }
            lastWords.put(stream, planLastWord(stream));
        }
    }

    private PlannedRequest planOne(RequestStream stream) {
        if (stream.target == null) {
            PlannedRequest datagram = drawSend(stream, drawDatagramLength());
            datagram.to = drawDestination(stream.initiator);
            datagram.closesHandle = random.nextInt(8) == 0;
            return datagram;
        }
        int dice = random.nextInt(10);
        if (dice < 5) {
            return drawSend(stream, Math.min(drawLength(), stream.target.pool.slotBytes()));
        }
        PlannedRequest request = add(stream, dice < 8 ? Kind.WRITE : Kind.WRITE_IMM, drawLength());
        placement.addElements(request);
        placement.drawInline(request);
        request.remote = placement.memoryOf(stream.target).reserve(request.length, 1 + random.nextInt(8));
        return request;
    }

    /** A SEND that says which one it is. */
    private PlannedRequest drawSend(RequestStream stream, int length) {
        boolean immediate = length < Integer.BYTES || random.nextBoolean();
        PlannedRequest request = add(stream, immediate ? Kind.SEND_IMM : Kind.SEND, length);
        do {
            placement.addElements(request);
        } while (!immediate && request.local.getFirst().length() < Integer.BYTES);
        placement.drawInline(request);
        return request;
    }

    private PlannedRequest add(RequestStream stream, Kind kind, int length) {
        PlannedRequest request = new PlannedRequest(stream, kind, length);
        request.id = byId.size() + 1;
        request.immediate = request.id;
        byId.put(request.id, request);
        order.add(request);
        int since = sinceSignaled.getOrDefault(stream, 0) + 1;
        request.signaled = scenario.signalAll() || random.nextDouble() < scenario.signaled() || since >= scenario.sendDepth();
        sinceSignaled.put(stream, request.signaled ? 0 : since);
        request.solicited = random.nextInt(4) == 0;
        packetsLeft -= 1 + length / scenario.mtu().bytes();
        return request;
    }

    /** A message of more than one packet where that is possible, to somebody who will take it. */
    private PlannedRequest planLastWord(RequestStream stream) {
        PlannedRequest request;
        if (stream.target == null) {
            request = drawSend(stream, LAST_WORD_BYTES);
            request.to = drawDestination(stream.initiator);
            while (!isTaken(request)) {
                request.to = drawDestination(stream.initiator);
            }
        } else {
            request = drawSend(stream, Math.min(3 * scenario.mtu().bytes(), stream.target.pool.slotBytes()));
        }
        while (request.local.stream().anyMatch(slot -> slot.memory().isDoomed())
            || request.kind == Kind.SEND && request.local.getFirst().length() < Integer.BYTES) {
            placement.addElements(request);
        }
        request.signaled = true;
        return request;
    }

    private Destination drawDestination(Endpoint from) {
        int qkey = scenario.mix().qkey();
        if (random.nextDouble() < scenario.mix().badQkeys()) {
            qkey = qkey + 1 + random.nextInt(1000) & Integer.MAX_VALUE;
        } else if (qkey < 0) {
            // Any key under control stands for the sender's own.
            qkey = random.nextInt() | Integer.MIN_VALUE;
        }
        if (from.side.group != null && random.nextInt(3) == 0) {
            return new Destination(from.side.group, DatagramRules.GROUP_QPN, qkey, datagrams);
        }
        Endpoint to = datagrams.get(random.nextInt(datagrams.size()));
        return new Destination(to.side.gid, to.qp.qpNum(), qkey, List.of(to));
    }

    /** Whether the Q_Key is the right one. */
    private boolean isTaken(PlannedRequest datagram) {
        int qkey = scenario.mix().qkey();
        return qkey < 0 ? datagram.to.qkey() < 0 : datagram.to.qkey() == qkey;
    }

    private int drawLength() {
        int mtu = scenario.mtu().bytes();
        return switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> mtu - 1 + random.nextInt(3);
            case 3, 4 -> mtu * (1 + random.nextInt(6)) - 1 + random.nextInt(3);
            case 5 -> random.nextInt(mtu * 8);
            default -> random.nextInt(200);
        };
    }

    private int drawDatagramLength() {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextInt(5);
            case 1 -> LONGEST_DATAGRAM - random.nextInt(5);
            case 2 -> random.nextInt(LONGEST_DATAGRAM);
            default -> random.nextInt(200);
        };
    }

    /** Writes into the messages which ones they are. Memory must be filled. */
    void stamp() {
        for (PlannedRequest request : order) {
            if (request.kind == Kind.SEND) {
                Slot first = request.local.getFirst();
                first.memory().stamp(first, request.id);
            }
        }
    }

    // ---- what is received ----

    /**
     * A receive completed.
     *
     * @param slots where the message is, in order
     */
    void onReceive(Endpoint endpoint, WorkCompletion wc, List<Slot> slots) {
        boolean datagram = endpoint.service == QpType.UD;
        int ahead = datagram ? GRH_BYTES : 0;
        boolean immediate = (wc.flags() & WcFlags.WITH_IMM) != 0;
        boolean write = wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM;
        int bytes = wc.byteLength() - ahead;
        check(bytes >= (immediate ? 0 : Integer.BYTES), "byte_len", wc);
        byte[] data = write ? new byte[0] : RequestStream.bytesOf(slots, ahead, bytes);
        int id = immediate ? wc.immediate() : stampOf(data);
        PlannedRequest request = byId.get(id);
        check(request != null, "message " + id + " was never sent", wc);
        check(request.stream.target == endpoint || datagram && request.to.reaches().contains(endpoint) && isTaken(request),
            request + " is not for this queue pair", wc);
        check(endpoint.arrivals.receive(id), request + " did not arrive whole, or not in this order, or not so often", wc);
        check(immediate == request.kind.hasImmediate() && write == request.kind.isWrite()
            && wc.flags() == (WcFlags.GRH | (immediate ? WcFlags.WITH_IMM : 0)) && (write || wc.opcode() == WcOpcode.RECV),
            "opcode or flags of " + request, wc);
        check(bytes == request.length, "byte_len of " + request, wc);
        check(write || Arrays.equals(data, request.source()), "other bytes than sent by " + request, wc);
        if (datagram) {
            Endpoint from = request.stream.initiator;
            check(wc.sourceQp() == from.qp.qpNum(), "src_qp of " + request, wc);
            int udpBytes = 8 + 12 + 8 + (immediate ? 4 : 0) + (bytes + 3 & ~3) + 4;
            check(isHeader(RequestStream.bytesOf(slots, 0, GRH_BYTES), from.side.gid, request.to.gid(), udpBytes),
                "GRH area of " + request, wc);
        }
        receivers.computeIfAbsent(request, none -> new ArrayList<>()).add(endpoint);
    }

    private static int stampOf(byte[] data) {
        return (data[0] & 0xff) << 24 | (data[1] & 0xff) << 16 | (data[2] & 0xff) << 8 | data[3] & 0xff;
    }

    /** Whether it is the IP header the datagram came with: IBA vol 1 annex A17. */
    private static boolean isHeader(byte[] grh, Gid from, Gid to, int udpBytes) {
        ByteBuffer header = ByteBuffer.wrap(grh);
        if (!from.isIpv4Mapped()) {
            return grh[0] >> 4 == 6 && header.getShort(4) == udpBytes && grh[6] == 17
                && header.getLong(8) == from.high() && header.getLong(16) == from.low()
                && header.getLong(24) == to.high() && header.getLong(32) == to.low();
        }
        int sum = 0;
        for (int i = IPV4_AT; i < GRH_BYTES; i += 2) {
            sum += header.getShort(i) & 0xffff;
        }
        return header.getLong(0) == 0 && header.getLong(8) == 0 && header.getInt(16) == 0 && grh[IPV4_AT] == 0x45
            && header.getShort(IPV4_AT + 2) == 20 + udpBytes && grh[IPV4_AT + 9] == 17 && (sum >>> 16) + (sum & 0xffff) == 0xffff
            && header.getInt(IPV4_AT + 12) == from.ipv4() && header.getInt(IPV4_AT + 16) == to.ipv4();
    }

    private static void check(boolean good, String what, WorkCompletion wc) {
        if (!good) {
            throw new AssertionError(what + ": " + wc);
        }
    }

    // ---- the end ----

    /** Everything else is over, on a healed network, and receives are posted: sends a message that must arrive. */
    PlannedRequest sayLastWord(RequestStream stream) {
        PlannedRequest request = lastWords.get(stream);
        if (stream.isDead() || stream.initiator.isDead() || stream.posted() < stream.requests.size()) {
            return null;
        }
        stream.requests.add(request);
        stream.postRequest();
        return request;
    }

    /** @return whether everybody who is still there has received it, once */
    boolean wasHeard(PlannedRequest request) {
        List<Endpoint> reaches = request.to == null ? List.of(request.stream.target) : request.to.reaches();
        List<Endpoint> heard = receivers.getOrDefault(request, List.of());
        for (Endpoint each : reaches) {
            if (!each.isDead() && !each.overrun && heard.stream().filter(other -> other == each).count() != 1) {
                return false;
            }
        }
        return true;
    }

    /** Puts on the expected memory what must have been written, and what may have been. */
    void expectEffects() {
        for (PlannedRequest request : order) {
            if (request.index >= request.stream.posted()) {
                continue;
            }
            if (request.kind.isWrite() && !request.refused) {
                expectWrite(request);
            }
            if (request.inline) {
                request.local.forEach(slot -> slot.memory().expectScribble(slot));
            }
        }
    }

    /** One that arrived whole is there, if nothing happened to its target. */
    private void expectWrite(PlannedRequest request) {
        Slot slot = request.remote;
        Endpoint target = request.stream.target;
        byte[] data = request.source();
        boolean sure = request.kind == Kind.WRITE_IMM ? receivers.containsKey(request)
            : target.arrivals.hasWrite(slot.address(), slot.memory().rkey()) && !target.isDead() && !target.overrun
                && !request.lostRemote();
        if (sure || slot.memory().holds(slot.at(), data, 0, data.length)) {
            slot.memory().expect(slot.at(), data, 0, data.length);
        } else {
            slot.memory().mayBecome(slot.at(), data, 0, data.length);
        }
    }

    /**
     * Checks that a counter accounts for each message that existing queue pairs did not deliver.
     *
     * @param counters of their device
     */
    static void expectLossesCounted(List<Endpoint> endpoints, Map<String, Long> counters) {
        long lost = 0;
        long badQkeys = 0;
        for (Endpoint each : endpoints) {
            boolean there = each.arrivals != null && !each.isDead() && !each.overrun;
            lost += there ? each.arrivals.lost() : 0;
            badQkeys += there ? each.arrivals.badQkeys() : 0;
        }
        long named = counters.get("drop_no_receive") + counters.get("drop_receive_too_small") + counters.get("drop_access");
        if (lost > named || badQkeys > counters.get("drop_bad_qkey")) {
            throw new AssertionError(lost + " messages arrived and were not received, " + named + " were dropped; " + badQkeys
                + " with a wrong Q_Key, " + counters.get("drop_bad_qkey") + " dropped");
        }
        boolean leftGroup = endpoints.stream().anyMatch(each -> each.service == QpType.UD && each.closed);
        for (String never : List.of("drop_bad_request", "drop_wrong_service", "drop_unknown_group", "internal_errors", "memory_gone")) {
            if (counters.get(never) > 0 && !(leftGroup && never.equals("drop_unknown_group"))) {
                throw new AssertionError(never + " is " + counters.get(never));
            }
        }
    }
}
