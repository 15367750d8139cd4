// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Debian's opensm and diagnostics on a fabric of ours. */
class OpensmTest {
    @RegisterExtension
    static final ProgramsExtension PROGRAMS = new ProgramsExtension("opensm", "ibsim-run", "ibnetdiscover", "setpriv");

    /** Two switches with two cables between them, four adapters at each. */
    private static final String TWO_SWITCHES = """
        Switch 8 "s1" # "Upper"
        [1] "h1"
        [2] "h2"
        [3] "h3"
        [4] "h4"
        [5] "s2"[5]
        [6] "s2"[6]

        Switch 8 "s2" # "Lower"
        [1] "h5"
        [2] "h6"
        [3] "h7"
        [4] "h8"

        Ca 1 "h1"

        Ca 2 "h2"

        Ca 1 "h3"

        Ca 1 "h4"

        Ca 1 "h5"

        Ca 1 "h6"

        Ca 1 "h7"

        Ca 1 "h8"
        """;
    private static final Pattern LID = Pattern.compile("(\\S+)\\[\\d+\\]\\s+Active\\s+lid (\\d+)");
    private static final Pattern NODE = Pattern.compile("^(?:Switch|Ca)\\s+(\\d+) \"([^\"]+)\"\\s+# \"([^\"]+)\"", Pattern.MULTILINE);
    private static final Pattern CABLE = Pattern.compile("^\\[(\\d+)\\](?:\\(\\w+\\))?\\s+\"([^\"]+)\"\\[(\\d+)\\]", Pattern.MULTILINE);

    /** LIDs by node, from the fabric itself: of active ports. */
    private static Map<String, Integer> lids(FabricLab lab) {
        Matcher found = LID.matcher(lab.fabric("show", "ports"));
        return found.results().filter(each -> !each.group(2).equals("0"))
            .collect(Collectors.toMap(each -> each.group(1), each -> Integer.parseInt(each.group(2)), (a, b) -> a));
    }

    /** Cables of what ibnetdiscover prints, as descriptions of nodes with ports. */
    private static Set<String> cables(String printed) {
        Map<String, String> names = NODE.matcher(printed).results().collect(Collectors.toMap(each -> each.group(2), each -> each.group(3)));
        Set<String> cables = new TreeSet<>();
        for (String part : printed.split("\n\n")) {
            Matcher node = NODE.matcher(part);
            if (node.find()) {
                CABLE.matcher(part).results().forEach(each -> {
                    String here = node.group(3) + "[" + each.group(1) + "]";
                    String there = names.get(each.group(2)) + "[" + each.group(3) + "]";
                    cables.add(here.compareTo(there) < 0 ? here + there : there + here);
                });
            }
        }
        return cables;
    }

    @Test
    void shouldBeBroughtUpShownAndHealed() throws IOException {
        try (FabricLab lab = new FabricLab("opensm")) {
            lab.runFabric(lab.file("net", TWO_SWITCHES));
            try (RunningCommand opensm = lab.opensm("h1")) {
                FabricLab.awaitSubnetUp(opensm, 1);
                String printed = lab.run("h8", "ibnetdiscover");
                Set<String> all = new TreeSet<>(Set.of("Lower[5]Upper[5]", "Lower[6]Upper[6]", "Upper[1]h1[1]", "Upper[2]h2[1]",
                    "Upper[3]h3[1]", "Upper[4]h4[1]", "Lower[1]h5[1]", "Lower[2]h6[1]", "Lower[3]h7[1]", "Lower[4]h8[1]"));
                assertEquals(all, cables(printed));
                Map<String, Integer> lids = lids(lab);
                assertEquals(10, lids.size(), lids.toString());
                Ends.expect(lab.run("h8", "ibstat"), List.of("State: Active\n", "Physical state: LinkUp\n", "Rate: 10\n",
                    "Base lid: " + lids.get("h8") + "\n", "SM lid: " + lids.get("h1") + "\n", "Link layer: IB\n"));
                Ends.expect(lab.run("h8", "sminfo"), List.of("sm lid " + lids.get("h1") + " ", "SMINFO_MASTER"));
                Ends.expect(lab.run("h5", "saquery", "-p", "--src-to-dst", lids.get("h5") + ":" + lids.get("h3")),
                    List.of("dlid...................." + lids.get("h3") + "\n", "slid...................." + lids.get("h5") + "\n"));
                Ends.expect(lab.run("h5", "saquery", "-g"), List.of("MGID....................ff12:401b:ffff::ffff:ffff\n"));
                Ends.expect(lab.run("h5", "iblinkinfo"), List.of("CA: h1:", "Switch:", "Active/  LinkUp", "\"Lower\""));
                Ends.expect(lab.run("h5", "perfquery", lids.get("h1").toString(), "1"), List.of("PortXmitPkts:...................."));
                reachAll(lab, "h8", lids);

                lab.fabric("pull", "s1", "5");
                FabricLab.awaitSubnetUp(opensm, 2);
                reachAll(lab, "h8", lids);
                reachAll(lab, "h2", lids);
                assertEquals(lids, lids(lab), "addresses stay");
                all.remove("Lower[5]Upper[5]");
                assertEquals(all, cables(lab.run("h2", "ibnetdiscover")));
                assertTrue(opensm.output().contains("Link state change"), "by a trap");
            }
        }
    }

    /** Has a node query every other one by LID, along the tables that were set. */
    private static void reachAll(FabricLab lab, String from, Map<String, Integer> lids) {
        lids.forEach((node, lid) -> {
            String answer = lab.run(from, "smpquery", "nodedesc", lid.toString());
            String description = Map.of("s1", "Upper", "s2", "Lower").getOrDefault(node, node);
            assertTrue(answer.strip().endsWith("." + description), from + " to " + node + ": " + answer);
        });
    }

    @Test
    void shouldBringUpATreeOfTwoHundredAdapters() throws IOException {
        try (FabricLab lab = new FabricLab("opensm-tree")) {
            lab.runFabric(lab.file("net", lab.fabric("make", "tree", "200", "20", "10", "5")));
            long startNs = System.nanoTime();
            try (RunningCommand opensm = lab.opensm("h1")) {
                FabricLab.awaitSubnetUp(opensm, 1);
                System.out.printf("opensm brought up 200 adapters and 35 switches in %.1f s%n", (System.nanoTime() - startNs) / 1e9);
                assertEquals(235, lids(lab).size());
                assertEquals(450, cables(lab.run("h200", "ibnetdiscover")).size());
                lab.fabric("pull", "s1", "1");
                FabricLab.awaitSubnetUp(opensm, 2);
                assertEquals(449, cables(lab.run("h200", "ibnetdiscover")).size());
            }
        }
    }
}
