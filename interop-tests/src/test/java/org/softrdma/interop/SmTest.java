// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Our subnet manager on our fabric and on Debian's ibsim: Debian's diagnostics show the same subnet afterwards as after opensm. */
class SmTest {
    @RegisterExtension
    static final ProgramsExtension PROGRAMS = new ProgramsExtension("opensm", "ibsim", "ibsim-run", "ibnetdiscover", "setpriv");

    /** In the message of a refused control packet, ERR 2F04 or 2F07. */
    private static final String REFUSED_BY_OPENSM = "legality";
    private static final Path NETS = Path.of("/usr/share/doc/ibsim-utils/net-examples");
    private static final String PARTITIONS = """
        Default=0x7fff, ipoib : ALL, SELF=full ;
        Blue=0x10, ipoib, mtu=3 : 0x100001=full ;
        Red=0x20 : 0x100004, 0x100001=full ;
        """;
    private static final List<List<String>> QUERIES = List.of(List.of(), List.of("-g"), List.of("-m"), List.of("-s"), List.of("LR"));
    /** Three switches in a ring, whose third cable is not needed, and two adapters at each. */
    private static final String THREE_SWITCHES = """
        Switch 8 "s1"
        [1] "h1"
        [2] "h2"
        [5] "s2"[5]
        [6] "s3"[6]

        Switch 8 "s2"
        [1] "h3"
        [2] "h4"
        [6] "s3"[5]

        Switch 8 "s3"
        [1] "h5"
        [2] "h6"

        Ca 1 "h1"

        Ca 1 "h2"

        Ca 1 "h3"

        Ca 1 "h4"

        Ca 1 "h5"

        Ca 1 "h6"
        """;

    /**
     * Output of the diagnostics at a node, without the LIDs, which a manager may choose, and the enforcement of partitions by switches,
     * which ours does not turn on.
     */
    private static String shown(FabricLab lab, String node) {
        String all = lab.run(node, "ibnetdiscover").replaceAll("(?m)^#.*\n", "") + lab.run(node, "iblinkinfo") + lab.run(node, "sminfo");
        for (String route : List.of("0", "0,1")) {
            all += lab.run(node, "smpquery", "-D", "portinfo", route, "1");
        }
        all += lab.run(node, "smpquery", "-D", "switchinfo", "0,1");
        assertFalse(all.contains("lid 0 "), all);
        return all.replaceAll(" +", " ").replaceAll("\\blid \\d+", "lid N").replaceAll("(?m)^(SM)?Lid:\\.+\\d+", "$1Lid: N")
            .replaceAll("(?m)^( 0x[0-9a-f]+)? \\d+ (\\d+\\[)", "$1 N $2").replaceAll("==> \\d+ ", "==> N ")
            .replaceAll("(PartEnforce(In|Out)b):\\.+\\d", "$1: N").replaceAll("LinearFdbTop:\\.+\\d+", "LinearFdbTop: N")
           .replaceAll("activity count \\d+", "activity count N");
    }

    /** Output of the diagnostics after opensm, or our manager, brought up a subnet that was just powered on. */
    private static String shown(String name, Function<FabricLab, RunningCommand> subnet, boolean ours, String manager, String node)
            throws IOException {
        try (FabricLab lab = new FabricLab(name + (ours ? "-ours" : "-opensm")); RunningCommand net = subnet.apply(lab);
            RunningCommand running = ours ? lab.manager(manager) : lab.opensm(manager)) {
            FabricLab.awaitSubnetUp(running, 1);
            assertTrue(net.isRunning());
            return shown(lab, node);
        }
    }

    private static void assertShownAlike(String name, Function<FabricLab, RunningCommand> subnet, String manager, String node)
            throws IOException {
        String byOpensm = shown(name, subnet, false, manager, node);
        assertTrue(byOpensm.contains("SMINFO_MASTER") && byOpensm.contains("Active/ LinkUp"), byOpensm);
        assertEquals(byOpensm, shown(name, subnet, true, manager, node));
    }

    @ParameterizedTest
    @CsvSource({"net.1, Hca1, Hca2", "net.2sw2path, Hca1, Hca2", "net.2sw2path4hca, Hca2, Hca4", "net, Hca1, Hca1",
        "net.2sw2path4hca2port, Hca1, Hca2"})
    void shouldBringUpIbsimAsOpensmDoes(String net, String manager, String node) throws IOException {
        assertShownAlike("sm-" + net, lab -> lab.runIbsim(NETS.resolve(net)), manager, node);
    }

    @Test
    void shouldBringUpOurFabricAsOpensmDoes() throws IOException {
        assertShownAlike("sm-fabric", lab -> {
            try {
                return lab.runFabric(lab.file("net", THREE_SWITCHES));
            } catch (IOException full) {
                throw new IllegalStateException(full);
            }
        }, "h1", "h6");
    }

    /** Answers of subnet administration, in any order, without the LIDs, which a manager may choose. */
    private static List<String> administered(FabricLab lab, String node) {
        List<String> dumps = new ArrayList<>();
        for (List<String> query : QUERIES) {
            List<String> command = new ArrayList<>(List.of("saquery"));
            command.addAll(query);
            String output = lab.run(node, command.toArray(String[]::new));
            Stream.of(output.split("(?m)^(?=.* dump:)")).map(each -> query + each.replaceAll("(?i)(lid\\.+)\\d+", "$1N")).sorted()
                .forEach(dumps::add);
        }
        String manager = lab.run(node, "sminfo").replaceAll("(?s).*sm lid (\\d+).*", "$1");
        String path = lab.run(node, "saquery", "-p", "--src-to-dst", lidOf(lab, node) + ":" + manager);
        dumps.add(path.replaceAll("(?i)(lid\\.+)\\d+", "$1N"));
        return dumps;
    }

    /** saquery asks for nodes, groups, members, managers and links. */
    @Test
    void shouldAnswerSaqueryAsOpensmDoes() throws IOException {
        List<List<String>> answers = new ArrayList<>();
        for (boolean ours : List.of(false, true)) {
            try (FabricLab lab = new FabricLab("sa-" + (ours ? "ours" : "opensm"));
                RunningCommand net = lab.runIbsim(NETS.resolve("net.1"));
                RunningCommand running = ours ? lab.manager("Hca1") : lab.opensm("Hca1")) {
                FabricLab.awaitSubnetUp(running, 1);
                assertTrue(net.isRunning());
                answers.add(administered(lab, "Hca2"));
                assertAdministersTheTables(lab, "Hca2");
            }
        }
        assertTrue(answers.getFirst().toString().contains("ff12:401b:ffff::ffff:ffff"), answers.toString());
        assertEquals(answers.getFirst(), answers.getLast());
    }

    /** The forwarding table of the first switch is the one that the switch itself shows, and P_Keys are shown to who has the key. */
    private static void assertAdministersTheTables(FabricLab lab, String node) {
        String record = lab.run(node, "saquery", "LFTR");
        String lid = record.replaceAll("(?s).*?LID\\.+(\\d+).*", "$1");
        List<String> administered = Pattern.compile("(?m)^\t\t(\\d+)\t(\\d+)$").matcher(record).results()
            .filter(each -> !each.group(2).equals("255")).map(each -> each.group(1) + " " + each.group(2)).toList();
        List<String> inTheSwitch = Pattern.compile("(?m)^0x([0-9a-f]{4}) (\\d{3}) :").matcher(lab.run(node, "ibroute", lid)).results()
            .map(each -> Integer.parseInt(each.group(1), 16) + " " + Integer.parseInt(each.group(2))).toList();
        assertTrue(inTheSwitch.size() >= 3, record);
        assertEquals(inTheSwitch, administered);
        Ends.expect(lab.run(node, "saquery", "--smkey", "1", "PKTR"), List.of("PKeyTableRecord dump:", "\t\t0xffff 0x0000 "));
    }

    /** P_Key tables of the adapters, and the path between them, which is in a partition that both are in. */
    @Test
    void shouldWritePartitionsAsOpensmDoes() throws IOException {
        List<String> seen = new ArrayList<>();
        for (boolean ours : List.of(false, true)) {
            try (FabricLab lab = new FabricLab("partitions-" + (ours ? "ours" : "opensm"));
                RunningCommand net = lab.runIbsim(NETS.resolve("net.1"))) {
                String file = lab.file("partitions.conf", PARTITIONS).toString();
                try (RunningCommand running = ours ? lab.manager("Hca1", "-P", file) : lab.opensm("Hca1", "-P", file)) {
                    FabricLab.awaitSubnetUp(running, 1);
                    assertTrue(net.isRunning());
                    String one = lidOf(lab, "Hca1");
                    String other = lidOf(lab, "Hca2");
                    seen.add(lab.run("Hca2", "smpquery", "pkeys", one, "1") + lab.run("Hca2", "smpquery", "pkeys", other, "1")
                        + lab.run("Hca2", "saquery", "-p", "--src-to-dst", one + ":" + other).replaceAll("(?i)(lid\\.+)\\d+", "$1N"));
                }
            }
        }
        assertTrue(seen.getFirst().contains("0xffff 0x8010 0x8020 0x0000") && seen.getFirst().contains("0x7fff 0x0020 0x0000"),
            seen.getFirst());
        assertEquals(seen.getFirst(), seen.getLast());
    }

    @Test
    void shouldRouteAroundAPulledCableAndEndWhenAsked() throws IOException {
        try (FabricLab lab = new FabricLab("sm-pull")) {
            lab.runFabric(lab.file("net", THREE_SWITCHES));
            HostTool manager = lab.manager("h1", "-s", "0", "-v");
            FabricLab.awaitSubnetUp(manager, 1);
            String lid = lidOf(lab, "h6");
            lab.fabric("pull", "s1", "6");
            FabricLab.awaitSubnetUp(manager, 2);
            assertTrue(manager.output().contains("trap"), "no sweeps but those that traps cause");
            assertEquals(lid, lidOf(lab, "h6"), "addresses stay");
            assertTrue(lab.run("h1", "smpquery", "nodedesc", lid).strip().endsWith(".h6"), "by another way");
            manager.terminate();
            assertEquals(0, manager.awaitExit(FabricLab.SHORTLY));
            assertTrue(manager.output().contains("\nsubnet_up "), manager.output());
        }
    }

    private static String lidOf(FabricLab lab, String node) {
        return lab.run(node, "ibstat").replaceAll("(?s).*Base lid: (\\d+).*", "$1");
    }

    @Test
    void shouldSweepOnceAndSayWhetherTheSubnetIsUp() throws IOException {
        try (FabricLab lab = new FabricLab("sm-once")) {
            lab.runFabric(lab.file("net", THREE_SWITCHES));
            try (RunningCommand once = lab.manager("h4", "--once")) {
                assertTrue(once.awaitSuccess(FabricLab.SHORTLY).endsWith("SUBNET UP\n"), once.output());
            }
            lab.fabric("loss", "s3", "1", "100");
            try (RunningCommand once = lab.manager("h4", "--once")) {
                assertEquals(1, once.awaitExit(FabricLab.SHORTLY), once.output());
            }
        }
    }

    @Test
    void shouldRefuseWhereThereIsNoFabricNoNodeAndAnotherPort() throws IOException {
        try (FabricLab lab = new FabricLab("sm-refused")) {
            assertRefused(lab.manager("h1"), "does ibsim or a fabric run under this name?");
            lab.runFabric(lab.file("net", THREE_SWITCHES));
            assertRefused(lab.manager("h9"), "node \"h9\"");
            assertRefused(lab.manager("h1", "-g", "0x1234"), "not 0x1234");
            try (RunningCommand first = lab.manager("h1")) {
                FabricLab.awaitSubnetUp(first, 1);
                assertRefused(lab.manager("h1"), "a subnet manager runs there");
            }
        }
    }

    /** opensm takes part in the election by priorities, on either side. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeHandedTheSubnetByOpensmAndHandItOver(boolean opensmFirst) throws IOException {
        try (FabricLab lab = new FabricLab("sm-handover-" + opensmFirst)) {
            lab.runFabric(lab.file("net", THREE_SWITCHES));
            RunningCommand before = opensmFirst ? lab.opensm("h1", "-p", "1") : lab.manager("h1", "-p", "1");
            FabricLab.awaitSubnetUp(before, 1);
            RunningCommand after = opensmFirst ? lab.manager("h4", "-p", "9") : lab.opensm("h4", "-p", "9");
            after.awaitOutput("SUBNET UP", FabricLab.SHORTLY);
            before.awaitOutput("Entering STANDBY state", FabricLab.SHORTLY);
            Ends.expect(lab.run("h6", "sminfo"), List.of("sm lid " + lidOf(lab, "h4") + " ", "priority 9 ", "SMINFO_MASTER"));
            int ups = FabricLab.subnetUps(before);
            after.close();
            FabricLab.awaitSubnetUp(before, ups + 1);
            assertFalse(before.output().contains(REFUSED_BY_OPENSM), before.output());
            Ends.expect(lab.run("h6", "sminfo"), List.of("sm lid " + lidOf(lab, "h1") + " ", "SMINFO_MASTER"));
        }
    }

    private static void assertRefused(RunningCommand manager, String reason) {
        assertEquals(1, manager.awaitExit(FabricLab.SHORTLY), manager.output());
        assertTrue(manager.output().contains(reason), manager.output());
    }
}
