// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.link.sim.Fate;

/**
 * The packets between the lanes of a sequence diagram, one lane for each host, in the order in which they were sent. Bounded: beyond
 * {@value #MAX_ARROWS} packets nothing is added, and {@link #isFull} says so.
 */
public final class Ladder {
    /** Maximum number of packets. */
    public static final int MAX_ARROWS = 200_000;

    private final List<Arrow> arrows = new ArrayList<>();
    /** Arrows that were changed after they were added, in the order of the changes. */
    private final List<Arrow> changed = new ArrayList<>();
    private final Map<Integer, ArrayDeque<Copy>> flying = new HashMap<>();
    private final Map<Integer, Arrow> lastSent = new HashMap<>();
    private final Map<String, StreamCutter> cutters = new HashMap<>();
    private final Map<String, ArrayDeque<Landing>> streams = new HashMap<>();
    private final Map<String, Long> streamSent = new HashMap<>();
    private final Map<String, Long> streamTaken = new HashMap<>();
    /** PSNs that each flow has sent to a queue pair, to recognise repetitions. */
    private final Map<Long, Set<Integer>> psns = new HashMap<>();
    private boolean full;

    /** A copy of a packet on the wire, with the bytes that will arrive. */
    private record Copy(Arrow arrow, byte[] bytes) {
    }

    /** An iWARP frame in a stream, which has arrived when the receiver has taken that many bytes. */
    private record Landing(Arrow arrow, long endsAt) {
    }

    public List<Arrow> arrows() {
        return arrows;
    }

    public boolean isFull() {
        return full;
    }

    /** Arrows that were changed after they were added, in the order of the changes; some of them several times. */
    public List<Arrow> changes() {
        return changed;
    }

    private Arrow add(long nowNs, int from, int to, byte[] bytes, PacketSummary summary, PacketFormat format) {
        if (arrows.size() >= MAX_ARROWS) {
            full = true;
            return null;
        }
        Arrow arrow = new Arrow(arrows.size(), nowNs, from, to, bytes, summary, format);
        arrows.add(arrow);
        return arrow;
    }

    // ---- RoCE ----

    /** Adds a packet that was captured once, and arrived when it was sent. */
    public void addCaptured(long timeNs, int from, int to, byte[] bytes, boolean iwarp, String note) {
        PacketSummary summary = iwarp ? IwarpDecoder.summary(bytes) : RoceDecoder.summary(bytes);
        Arrow arrow = add(timeNs, from, to, bytes, summary, iwarp ? PacketFormat.IWARP : PacketFormat.ROCE);
        if (arrow != null) {
            arrow.arrivedNs = timeNs;
            arrow.note = note;
            markIfRepeated(arrow);
        }
    }

    /** Something happened to a packet of a simulated fabric; {@code bytes} is from BTH to ICRC. */
    public void onPacket(long nowNs, int from, int to, byte[] bytes, Fate fate) {
        int flow = from << 16 | to;
        switch (fate) {
            case SENT -> {
                Arrow arrow = add(nowNs, from, to, bytes, RoceDecoder.summary(bytes), PacketFormat.ROCE);
                lastSent.put(flow, arrow);
                if (arrow != null) {
                    markIfRepeated(arrow);
                    flying.computeIfAbsent(flow, none -> new ArrayDeque<>()).add(new Copy(arrow, bytes));
                }
            }
            case DELIVERED, INBOX_FULL, NO_RECEIVER, MARKED -> land(flow, nowNs, bytes, fate);
            default -> change(flow, bytes, fate);
        }
    }

    private void markIfRepeated(Arrow arrow) {
        PacketSummary summary = arrow.summary;
        boolean request = summary.kind() != PacketKind.ACK && summary.kind() != PacketKind.NAK && summary.kind() != PacketKind.RNR
            && summary.kind() != PacketKind.CONNECTION && summary.kind() != PacketKind.CONGESTION && !summary.label().contains("Response");
        if (arrow.format == PacketFormat.ROCE && request && summary.psn() >= 0 && summary.qpn() > 1) {
            long flow = (long) arrow.from << 48 | (long) arrow.to << 32 | summary.qpn();
            arrow.repeated = !psns.computeIfAbsent(flow, none -> new HashSet<>()).add(summary.psn());
        }
    }

    /** A fault of the packet that was sent last in its direction. */
    private void change(int flow, byte[] bytes, Fate fate) {
        Arrow arrow = lastSent.get(flow);
        if (arrow == null) {
            return;
        }
        arrow.fate = arrow.fate.isEmpty() ? fate.name() : arrow.fate + " " + fate.name();
        changed.add(arrow);
        ArrayDeque<Copy> copies = flying.get(flow);
        if (arrow.isLost()) {
            copies.removeIf(copy -> copy.arrow == arrow);
        } else if (fate == Fate.DUPLICATED) {
            copies.add(new Copy(arrow, arrow.bytes));
        } else if (bytes.length != arrow.bytes.length || !Arrays.equals(bytes, arrow.bytes)) {
            copies.remove(copies.stream().filter(copy -> copy.arrow == arrow).findFirst().orElse(null));
            copies.add(new Copy(arrow, bytes));
        }
    }

    private void land(int flow, long nowNs, byte[] bytes, Fate fate) {
        for (Copy copy : flying.getOrDefault(flow, new ArrayDeque<>())) {
            if (Arrays.equals(copy.bytes, bytes)) {
                if (fate == Fate.MARKED) {
                    copy.arrow.fate = "MARKED";
                } else {
                    flying.get(flow).remove(copy);
                    copy.arrow.arrivedNs = copy.arrow.arrivedNs == Arrow.NOT_ARRIVED ? nowNs : copy.arrow.arrivedNs;
                    copy.arrow.fate = fate == Fate.DELIVERED ? copy.arrow.fate : fate.name();
                }
                changed.add(copy.arrow);
                return;
            }
        }
    }

    // ---- InfiniBand ----

    /**
     * Adds one hop of a datagram in a subnet.
     *
     * @param drop why it ended at this hop; empty if it went on
     */
    public void addHop(long sentNs, long arrivedNs, int from, int to, byte[] bytes, PacketFormat format, String drop) {
        Arrow arrow = add(sentNs, from, to, bytes, SubnetDecoder.summary(bytes, format), format);
        if (arrow != null) {
            arrow.note = drop;
            arrow.fate = drop.isEmpty() ? "" : "LOST";
            arrow.arrivedNs = drop.isEmpty() ? arrivedNs : Arrow.NOT_ARRIVED;
            changed.add(arrow);
        }
    }

    // ---- iWARP ----

    /** Bytes were sent into a TCP connection. */
    public void onStream(long nowNs, int from, int to, String connection, byte[] bytes) {
        long before = streamSent.merge(connection, (long) bytes.length, Long::sum) - bytes.length;
        long[] end = {before};
        StreamCutter cutter = cutters.computeIfAbsent(connection, none -> new StreamCutter());
        cutter.add(bytes, frame -> {
            Arrow arrow = add(nowNs, from, to, frame, IwarpDecoder.summary(frame), PacketFormat.IWARP);
            end[0] = before + bytes.length;
            if (arrow != null) {
                streams.computeIfAbsent(connection, none -> new ArrayDeque<>()).add(new Landing(arrow, end[0]));
            }
        });
    }

    /** The receiver has taken bytes out of a TCP connection. */
    public void onStreamTaken(long nowNs, String connection, int count) {
        long taken = streamTaken.merge(connection, (long) count, Long::sum);
        ArrayDeque<Landing> landing = streams.getOrDefault(connection, new ArrayDeque<>());
        while (!landing.isEmpty() && landing.peek().endsAt <= taken) {
            Arrow arrow = landing.remove().arrow;
            arrow.arrivedNs = nowNs;
            changed.add(arrow);
        }
    }
}
