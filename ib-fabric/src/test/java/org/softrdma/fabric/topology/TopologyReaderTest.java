// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Files of ibsim and of ibnetdiscover, made-up ones, and wrong ones. */
class TopologyReaderTest {
    /** From ibsim's net-examples. */
    private static final String IBSIM = """
        # Net configuration file example
        Switch\t8 "Switch1"
        [1]\t"Hca1"[1]
        [3]\t"Switch2"[3]
        [5]\t"Switch2"[5]

        Switch 8 "Switch2"
        [1]\t"Hca2"[1]
        [3]\t"Switch1"[3]
        [5]\t"Switch1"[5]

        Hca\t2 "Hca1"
        [1]\t"Switch1"[1]

        Hca\t2 "Hca2"
        [1]\t"Switch2"[1]
        """;
    /** Printed by ibnetdiscover of infiniband-diags 44. */
    private static final String IBNETDISCOVER = """
        #
        # Topology file: generated on Wed Nov 25 07:15:31 2026
        #
        # Initiated from node 0000000000100000 port 0000000000100001

        vendid=0x2c9
        devid=0xb924
        sysimgguid=0x200003
        switchguid=0x200001(200001)
        Switch\t8 "S-0000000000200001"\t\t# "Switch2" base port 0 lid 3 lmc 0
        [1]\t"H-0000000000100003"[1](100014) \t\t# "Hca2" lid 4 4xQDR

        vendid=0x0
        devid=0x0
        sysimgguid=0x100003
        caguid=0x100003
        Ca\t2 "H-0000000000100003"\t\t# "Hca2"
        [1](100014) \t"S-0000000000200001"[1]\t\t# lid 4 lmc 0 "Switch2" lid 3 4xQDR
        """;

    @Test
    void shouldReadAFileOfIbsim() {
        Topology read = TopologyReader.read(IBSIM);
        assertEquals(List.of("Switch1", "Switch2", "Hca1", "Hca2"), read.nodes().stream().map(Topology.Node::id).toList());
        assertEquals(List.of(new Topology.Cable(new Topology.End("Switch1", 1), new Topology.End("Hca1", 1), Topology.Rate.SDR_4X),
            new Topology.Cable(new Topology.End("Switch1", 3), new Topology.End("Switch2", 3), Topology.Rate.SDR_4X),
            new Topology.Cable(new Topology.End("Switch1", 5), new Topology.End("Switch2", 5), Topology.Rate.SDR_4X),
            new Topology.Cable(new Topology.End("Switch2", 1), new Topology.End("Hca2", 1), Topology.Rate.SDR_4X)), read.cables());
        // GUIDs as ibsim 0.10 gives them.
        assertEquals(List.of(0x200000L, 0x200001L, 0x100000L, 0x100003L), read.nodes().stream().map(Topology.Node::guid).toList());
        assertEquals(0x100004L, read.find("Hca2").portGuid(1));
    }

    @Test
    void shouldReadTheOutputOfIbnetdiscover() {
        Topology read = TopologyReader.read(IBNETDISCOVER);
        Topology.Node node = read.nodes().getFirst();
        assertEquals(Topology.Kind.SWITCH, node.kind());
        assertEquals("Switch2", node.description());
        assertEquals(0x200001, node.guid());
        assertEquals(0x200003, node.systemGuid());
        assertEquals(0x2c9, node.vendorId());
        assertEquals(0xb924, node.deviceId());
        assertEquals(node, read.find("Switch2"));
        Topology.Node adapter = read.find("H-0000000000100003");
        assertEquals(0, adapter.vendorId(), "properties are of one node");
        assertEquals(0x100014, adapter.portGuid(1));
        assertEquals(0x100005, adapter.portGuid(2));
        assertEquals(List.of(new Topology.Cable(new Topology.End("S-0000000000200001", 1), new Topology.End("H-0000000000100003", 1),
            new Topology.Rate(3, 7, 0))), read.cables());
        assertNull(read.find("nobody"));
    }

    @Test
    void shouldReadWidthsAndSpeeds() {
        String text = "width=8\nspeed=4\nextspeed=2\nSwitch 4 \"s\"\n[1] \"a\" w=1 s=0\n[2] \"b\" # \"b\" lid 1 4xNDR\n[3] \"c\"\n\n"
            + "Ca 1 \"a\"\n\nCa 1 \"b\"\n\nCa 1 \"c\"\n";
        assertEquals(List.of(new Topology.Rate(1, 4, 2), new Topology.Rate(3, 7, 15), new Topology.Rate(8, 4, 2)),
            TopologyReader.read(text).cables().stream().map(Topology.Cable::rate).toList());
    }

    @Test
    void shouldReadIncludedFiles() {
        Topology read = TopologyReader.read("include \"other\"\nCa 1 \"a\"\n[1] \"s\"[2]\n", name -> {
            assertEquals("other", name);
            return "Switch 2 \"s\"\n";
        });
        assertEquals(2, read.nodes().size());
        assertEquals(1, read.cables().size());
        assertThrows(TopologyException.class, () -> TopologyReader.read("include \"x\"\n", name -> "include \"x\"\n"));
    }

    private static void assertRefused(String text, String message) {
        assertEquals(message, assertThrows(TopologyException.class, () -> TopologyReader.read(text)).getMessage());
    }

    @Test
    void shouldNameTheLineOfAMistake() {
        assertRefused("Switch 2 \"s\"\n[3] \"t\"[1]\n", "line 2: port 3 of \"s\", which has 1..2");
        assertRefused("Switch 2 \"s\"\n[1] \"t\"[1]\n", "line 2: \"t\" is not in the file");
        assertRefused("Switch 2 \"s\"\n[1] \"t\"[9]\n\nCa 1 \"t\"\n", "line 2: port 9 of \"t\", which has 1..1");
        assertRefused("Switch 2 \"s\"\n\nSwitch 2 \"s\"\n", "line 3: \"s\" is there twice");
        assertRefused("Switch 2 \"s\"\n[1] \"s\"[1]\n", "line 2: \"s\"[1] is connected to itself");
        assertRefused("Switch 2 \"s\"\n[1] \"a\"\n[2] \"a\"\n\nCa 1 \"a\"\n",
            "line 3: \"s\"[2] is connected to \"a\"[1], and \"a\"[1] to \"s\"[1]; a port has one cable");
        assertRefused("Switch 300 \"s\"\n", "line 1: 300 ports; a node has 1..254");
        assertRefused("Swich 2 \"s\"\n", "line 1: neither a node, a port, a property nor a comment: Swich 2 \"s\"");
        assertRefused("colour=3\n", "line 1: unknown property colour");
        assertRefused("# nothing\n", "the topology has no nodes; a node's first line is: Switch|Ca PORTS \"ID\" # \"DESCRIPTION\"");
    }

    @Test
    void shouldWriteWhatItReads() {
        for (String text : List.of(IBSIM, IBNETDISCOVER)) {
            Topology read = TopologyReader.read(text);
            Topology again = TopologyReader.read(TopologyWriter.write(read));
            assertEquals(read, again);
        }
    }

    @Property(tries = 50)
    void shouldReadWhatItWritesOfRandomOnes(@ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int switches,
            @ForAll @IntRange(max = 20) int more, @ForAll @IntRange(max = 30) int adapters) {
        Topology made = Topologies.random(new SplittableRandom(seed), switches, more, adapters);
        Topology read = TopologyReader.read(TopologyWriter.write(made));
        assertEquals(made.nodes(), read.nodes());
        assertEquals(ends(made), ends(read));
    }

    /** Cables without their order and direction. */
    private static Set<Set<Topology.End>> ends(Topology topology) {
        return topology.cables().stream().map(each -> Set.of(each.first(), each.second())).collect(Collectors.toSet());
    }

    @Test
    void shouldMakeTreesRingsAndTori() {
        Topology tree = Topologies.tree(200, 20, 10, 5);
        assertEquals(235, tree.nodes().size());
        assertEquals(20 * 10 + 10 * 5 + 200, tree.cables().size());
        Topology ring = Topologies.ring(5, 2);
        assertEquals(15, ring.nodes().size());
        assertEquals(15, ring.cables().size());
        Topology torus = Topologies.torus(3, 4, 1);
        assertEquals(24, torus.nodes().size());
        assertEquals(36, torus.cables().size());
        assertTrue(ring.nodes().stream().map(Topology.Node::guid).distinct().count() == ring.nodes().size());
    }

    /** Any text is a topology or refused, and never fails in another way. */
    @Property(tries = 300)
    void shouldSurviveAnyText(@ForAll String text, @ForAll("lines") String lines) {
        for (String each : List.of(text, lines)) {
            try {
                TopologyReader.read(each);
            } catch (TopologyException refused) {
                assertTrue(refused.getMessage() != null);
            }
        }
    }

    @Provide
    Arbitrary<String> lines() {
        return Arbitraries.of("Switch 4 \"s\" # \"x\" base port 0", "Ca 2 \"a\"", "[1] \"a\"[1]", "[2] \"s\"[9]", "[1](zz) \"a\"",
            "caguid=0x1", "speed=99999999999999999999", "width=0xffffffffffffffffffff", "[7] \"s\" w=9 s=x", "Ca 99999999999 \"b\"", "",
            "include \"x\"", "[1] \"a\"[99999999999]").list().ofMaxSize(12).map(each -> String.join("\n", each));
    }
}
