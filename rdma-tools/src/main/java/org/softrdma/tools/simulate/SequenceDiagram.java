// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A sequence diagram as SVG, of the lines of a trace: a lane for each end, time downwards, and an arrow for each packet, from the line that
 * says that it was sent to that which says what became of it. A line without direction is a note at its end.
 *
 * <pre>
 *           0 ns  a > b  SENT        RC SEND Only psn 7
 *       1,000 ns  a > b  DELIVERED   RC SEND Only psn 7
 *       1,200 ns  b: completed
 * </pre>
 */
public final class SequenceDiagram {
    private static final Pattern LINE = Pattern.compile(" *(-?[\\d,]+) ns  (\\S+) > (\\S+?)(?:  (SENT|DELIVERED|INBOX_FULL|NO_RECEIVER|"
        + "QUEUE_FULL|PARTITIONED|LOST|DUPLICATED|FLIPPED|TRUNCATED|EXTENDED|REORDERED|CLOGGED|MARKED))? +(.*)");
    private static final Pattern NOTE = Pattern.compile(" *(-?[\\d,]+) ns  (.*)");
    private static final int LANE_X = 190;
    private static final int LANE_GAP = 620;
    private static final int TOP = 60;
    private static final int ROW = 22;
    private static final int LONGEST_LABEL = 92;
    private static final String SENT = "SENT";
    private static final String DELIVERED = "DELIVERED";
    private static final String LOST_MESSAGE = " lost";
    /** Faults that end a packet, and the others; both are reported between its sending and its end. */
    private static final Set<String> LOSSES = Set.of("QUEUE_FULL", "PARTITIONED", "LOST");
    private static final Set<String> FAULTS = Set.of("QUEUE_FULL", "PARTITIONED", "LOST", "DUPLICATED", "FLIPPED", "TRUNCATED", "EXTENDED",
        "REORDERED", "CLOGGED", "MARKED");
    private static final Deque<Arrow> NONE = new ArrayDeque<>(0);

    private final int maxPackets;
    private final List<String> lanes = new ArrayList<>();
    private final List<Arrow> arrows = new ArrayList<>();
    private final List<Note> notes = new ArrayList<>();
    /** Packets under way, by direction and content. */
    private final Map<String, Deque<Arrow>> underWay = new HashMap<>();
    /** The packet that was sent last in each direction. */
    private final Map<String, Arrow> latestOf = new HashMap<>();
    private final List<String> times = new ArrayList<>();
    private int packets;
    private int left;

    /** A packet, from row to row; it ends where it began until its end is known. */
    private static final class Arrow {
        final String from;
        final String to;
        String text;
        int begins;
        int ends;
        String faults = "";
        boolean lost;
        boolean isCopy;

        Arrow(String from, String to, String text) {
            this.from = from;
            this.to = to;
            this.text = text;
        }

        String direction() {
            return from + " " + to + " ";
        }

        void end(int row, String event) {
            ends = row;
            if (!event.equals(DELIVERED)) {
                lost = true;
                faults += "  " + event;
            }
        }
    }

    private record Note(String text, int row) {
    }

    /** @param maxPackets packets that are drawn; further ones are counted */
    public SequenceDiagram(int maxPackets) {
        this.maxPackets = maxPackets;
    }

    /** Adds a line of a trace. */
    public void add(String line) {
        Matcher packet = LINE.matcher(line);
        Matcher note = NOTE.matcher(line);
        if (packet.matches()) {
            addPacket(packet.group(1), packet.group(2), packet.group(3), packet.group(4) == null ? DELIVERED : packet.group(4),
                packet.group(5));
        } else if (note.matches() && packets <= maxPackets) {
            notes.add(new Note(note.group(2), row(note.group(1))));
        }
    }

    private void addPacket(String time, String from, String to, String event, String text) {
        String direction = from + " " + to + " ";
        if (event.equals(SENT)) {
            begin(new Arrow(from, to, text), time);
            return;
        }
        Arrow latest = latestOf.get(direction);
        if (FAULTS.contains(event) && latest != null) {
            addFault(latest, direction, event, text);
            return;
        }
        Deque<Arrow> open = underWay.getOrDefault(direction + text, NONE);
        if (!open.isEmpty()) {
            open.remove().end(row(time), event);
        } else if (event.equals(DELIVERED) && latest == null) {
            addWhole(time, from, to, text);
        }
    }

    /** A message of a trace that has one line for each, which says at its end if the message was lost. */
    private void addWhole(String time, String from, String to, String text) {
        boolean lost = text.endsWith(LOST_MESSAGE);
        Arrow whole = new Arrow(from, to, lost ? text.substring(0, text.length() - LOST_MESSAGE.length()) : text);
        if (begin(whole, time)) {
            underWay.get(whole.direction() + whole.text).remove(whole);
            latestOf.remove(whole.direction());
            whole.end(whole.begins, lost ? "LOST" : DELIVERED);
        }
    }

    /** Returns false if there are too many packets already. */
    private boolean begin(Arrow arrow, String time) {
        if (++packets > maxPackets) {
            left++;
            latestOf.remove(arrow.direction());
            return false;
        }
        lane(arrow.from);
        lane(arrow.to);
        arrow.begins = row(time);
        arrow.ends = arrow.begins;
        arrows.add(arrow);
        latestOf.put(arrow.direction(), arrow);
        underWay.computeIfAbsent(arrow.direction() + arrow.text, unknown -> new ArrayDeque<>()).add(arrow);
        return true;
    }

    /** A fault of the packet that was sent last; what arrives of it may have other bytes. */
    private void addFault(Arrow latest, String direction, String fault, String text) {
        latest.faults += "  " + fault;
        Deque<Arrow> before = underWay.get(direction + latest.text);
        if (LOSSES.contains(fault)) {
            before.remove(latest);
            latest.lost = true;
        } else if (fault.equals("DUPLICATED")) {
            Arrow copy = new Arrow(latest.from, latest.to, latest.text);
            copy.begins = latest.begins;
            copy.ends = latest.begins;
            copy.isCopy = true;
            arrows.add(copy);
            before.add(copy);
        } else if (!text.equals(latest.text)) {
            before.remove(latest);
            latest.text = text;
            underWay.computeIfAbsent(direction + text, unknown -> new ArrayDeque<>()).add(latest);
        }
    }

    private int row(String time) {
        times.add(time);
        return times.size() - 1;
    }

    private int lane(String name) {
        if (!lanes.contains(name)) {
            lanes.add(name);
        }
        return LANE_X + LANE_GAP * lanes.indexOf(name);
    }

    /** Returns the number of packets that were not drawn. */
    public int leftOut() {
        return left;
    }

    /** Returns the diagram. */
    public String svg(String title) {
        int width = LANE_X + LANE_GAP * Math.max(1, lanes.size() - 1) + 120;
        int bottom = TOP + ROW * (times.size() + 1);
        StringBuilder svg = new StringBuilder(10_000);
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"").append(width).append("\" height=\"").append(bottom + 40)
            .append("\" viewBox=\"0 0 ").append(width).append(' ').append(bottom + 40).append("\" font-family=\"monospace\">\n")
            .append("<style>text{font-size:12px;fill:#222}.time{fill:#888}.lane{stroke:#bbb}.sent{stroke:#246}.lost{stroke:#c22}"
                + ".odd{stroke:#b70}.head{font-weight:bold;font-size:14px}</style>\n<defs>");
        for (String[] kind : new String[][] {{"sent", "#246"}, {"lost", "#c22"}, {"odd", "#b70"}}) {
            svg.append("<marker id=\"").append(kind[0]).append("\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\""
                + " markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"").append(kind[1]).append("\"/></marker>");
        }
        svg.append("</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
        text(svg, 10, 20, "head", "start", title);
        for (String each : lanes) {
            int x = lane(each);
            svg.append("<line class=\"lane\" x1=\"").append(x).append("\" x2=\"").append(x).append("\" y1=\"").append(TOP)
                .append("\" y2=\"").append(bottom).append("\"/>\n");
            text(svg, x, TOP - 12, "head", "middle", each);
        }
        timeColumn(svg);
        arrows.forEach(arrow -> draw(svg, arrow));
        notes.forEach(note -> text(svg, LANE_X + 8, y(note.row), "note", "start", shortened(note.text)));
        if (left > 0) {
            text(svg, LANE_X, bottom + 20, "time", "start", String.format(Locale.ROOT, "… and %,d packets more", left));
        }
        return svg.append("</svg>\n").toString();
    }

    /** Writes each time once. */
    private void timeColumn(StringBuilder svg) {
        String before = "";
        for (int row = 0; row < times.size(); row++) {
            if (!times.get(row).equals(before)) {
                before = times.get(row);
                text(svg, LANE_X - 60, y(row), "time", "end", before + " ns");
            }
        }
    }

    private void draw(StringBuilder svg, Arrow arrow) {
        int from = lane(arrow.from);
        int to = lane(arrow.to);
        String kind = arrow.lost ? "lost" : arrow.faults.isEmpty() && !arrow.isCopy ? "sent" : "odd";
        // A lost packet gets two thirds of the way.
        int endX = arrow.lost ? from + (to - from) * 2 / 3 : to;
        int beginY = y(arrow.begins) - 4;
        svg.append("<line class=\"").append(kind).append("\" x1=\"").append(from).append("\" y1=\"").append(beginY).append("\" x2=\"")
            .append(endX).append("\" y2=\"").append(y(arrow.ends) - 4).append("\" marker-end=\"url(#").append(kind).append(")\"/>\n");
        if (!arrow.isCopy) {
            boolean right = to > from;
            String label = shortened(arrow.text + arrow.faults);
            text(svg, right ? from + 8 : from - 8, beginY - 3, "label", right ? "start" : "end", label);
        }
    }

    private static int y(int row) {
        return TOP + ROW * (row + 1);
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST_LABEL ? text : text.substring(0, LONGEST_LABEL - 1) + "…";
    }

    private static void text(StringBuilder svg, int x, int y, String kind, String anchor, String text) {
        svg.append("<text class=\"").append(kind).append("\" x=\"").append(x).append("\" y=\"").append(y).append("\" text-anchor=\"")
            .append(anchor).append("\">").append(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")).append("</text>\n");
    }
}
