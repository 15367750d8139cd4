// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SequenceDiagramTest {
    private static final Pattern ARROW =
        Pattern.compile("<line class=\"(\\w+)\" x1=\"(\\d+)\" y1=\"(\\d+)\" x2=\"(\\d+)\" y2=\"(\\d+)\" marker-end");
    private static final int LEFT = 190;
    private static final int RIGHT = 810;

    private static SequenceDiagram of(int packets, String... lines) {
        SequenceDiagram diagram = new SequenceDiagram(packets);
        List.of(lines).forEach(diagram::add);
        return diagram;
    }

    /** Kind, and from where to where, of each arrow. */
    private static List<String> arrows(SequenceDiagram diagram) {
        return ARROW.matcher(diagram.svg("")).results().map(SequenceDiagramTest::arrow).toList();
    }

    private static String arrow(MatchResult each) {
        int rows = (Integer.parseInt(each.group(5)) - Integer.parseInt(each.group(3))) / 22;
        return each.group(1) + " " + each.group(2) + " to " + each.group(4) + ", " + rows + " rows";
    }

    @Test
    void shouldDrawPacketsFromTheirSendingToTheirArrival() {
        SequenceDiagram diagram = of(9,
            "              0 ns  a > b  SENT        RC SEND Only psn 7",
            "              0 ns  a > b  SENT        RC SEND Only psn 8",
            "          1,000 ns  a > b  DELIVERED   RC SEND Only psn 7",
            "          1,000 ns  a > b  DELIVERED   RC SEND Only psn 8",
            "          1,000 ns  b > a  SENT        RC Acknowledge psn 8",
            "          2,000 ns  b > a  DELIVERED   RC Acknowledge psn 8");
        assertEquals(List.of("sent 190 to 810, 2 rows", "sent 190 to 810, 2 rows", "sent 810 to 190, 1 rows"), arrows(diagram));
        String svg = diagram.svg("seed <7>");
        assertTrue(svg.contains(">seed &lt;7&gt;</text>") && svg.contains(">1,000 ns</text>"), svg);
    }

    @Test
    void shouldEndLostPacketsOnTheWay() {
        assertEquals(List.of("lost 190 to " + (LEFT + (RIGHT - LEFT) * 2 / 3) + ", 0 rows"), arrows(of(9,
            "              0 ns  a > b  SENT        RC SEND Only psn 7",
            "              0 ns  a > b  LOST        RC SEND Only psn 7")));
    }

    @Test
    void shouldFollowPacketsThroughTheirFaults() {
        SequenceDiagram diagram = of(9,
            "              0 ns  a > b  SENT        psn 7",
            "              0 ns  a > b  DUPLICATED  psn 7",
            "              0 ns  a > b  SENT        psn 8",
            "              0 ns  a > b  FLIPPED     psn 9",
            "          1,000 ns  a > b  DELIVERED   psn 7",
            "          1,000 ns  a > b  DELIVERED   psn 9",
            "          2,000 ns  a > b  DELIVERED   psn 7");
        assertEquals(List.of("odd 190 to 810, 2 rows", "odd 190 to 810, 4 rows", "odd 190 to 810, 2 rows"), arrows(diagram));
        assertTrue(diagram.svg("").contains(">psn 9  FLIPPED</text>"), diagram.svg(""));
    }

    @Test
    void shouldDrawTracesWithoutArrivals() {
        SequenceDiagram diagram = of(9, "         54,158 ns  a > b REQ 8348f8fe 0", "        902,888 ns  b > a MRA 31bd62c3",
            "        902,900 ns  a > b RTU 31bd62c3 lost", "        993,276 ns  qp 100 of a: reply");
        assertEquals(List.of("sent 190 to 810, 0 rows", "sent 810 to 190, 0 rows", "lost 190 to 603, 0 rows"), arrows(diagram));
        assertTrue(diagram.svg("").contains(">qp 100 of a: reply</text>"));
    }

    @Test
    void shouldSayHowManyPacketsItLeftOut() {
        SequenceDiagram diagram = of(1, "  0 ns  a > b  SENT  psn 7", "  0 ns  a > b  SENT  psn 8", "  0 ns  a > b  SENT  psn 9");
        assertEquals(List.of(1, 2), List.of(arrows(diagram).size(), diagram.leftOut()));
        assertTrue(diagram.svg("").contains("… and 2 packets more"));
    }
}
