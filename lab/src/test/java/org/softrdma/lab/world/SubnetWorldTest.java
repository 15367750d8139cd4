// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.lab.ladder.Field;
import org.softrdma.lab.ladder.SubnetDecoder;
import org.softrdma.lab.lesson.Lessons;
import org.softrdma.link.subnet.SubnetSimulation;
import org.softrdma.link.subnet.SubnetSimulation.CableView;
import org.softrdma.link.subnet.SubnetSimulation.NodeView;

/** Claims of the lessons on subnets, compared with their runs. Shortest ways are computed here, from the cables alone. */
class SubnetWorldTest {
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final int ANN = 0;
    private static final int BEN = 1;
    private static final int LEAF_A = 2;
    private static final int SPINE_1 = 3;
    private static final int SPINE_2 = 4;
    private static final int LEAF_B = 5;
    private static final int DORA = 7;
    /** Cable between Leaf A, port 3, and Spine 1. */
    private static final int TO_SPINE_1 = 2;

    private static SubnetWorld world(String lesson) {
        return new SubnetWorld(Lessons.load().get(lesson).scene());
    }

    private static Command command(String action, Integer device, Integer count, Integer cable, Integer to) {
        return new Command(action, null, null, device, null, count, null, null, null, null, cable, to);
    }

    private static SubnetWorld up() {
        SubnetWorld world = world("subnet-comes-up");
        world.execute(command("power", null, null, null, null));
        world.execute(command("manage", ANN, 3, null, null));
        world.settle(LONG);
        return world;
    }

    /** Cables of the shortest way between two nodes, over plugged cables. */
    private static int distance(SubnetSimulation subnet, int from, int to) {
        Map<Integer, Integer> found = new HashMap<>(Map.of(from, 0));
        ArrayDeque<Integer> next = new ArrayDeque<>(List.of(from));
        while (!next.isEmpty()) {
            int here = next.remove();
            for (CableView each : subnet.cables()) {
                int other = each.first() == here ? each.second() : each.second() == here ? each.first() : -1;
                boolean through = here == from || subnet.nodes().get(here).isSwitch();
                if (other >= 0 && each.plugged() && through && !found.containsKey(other)) {
                    found.put(other, found.get(here) + 1);
                    next.add(other);
                }
            }
        }
        return found.get(to);
    }

    /** Follows the tables from everywhere to everywhere: no loop, no obstacle, and no way that is longer than needed. */
    private static void assertShortestRoutes(SubnetWorld world) {
        int count = world.lanes().size();
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                SubnetWorld.Route route = world.route(from, to);
                assertEquals("", route.obstacle(), route::toString);
                assertEquals(distance(world.subnet(), from, to), route.nodes().size() - 1, route::toString);
            }
        }
    }

    private static List<String> texts(SubnetWorld world, String part) {
        return world.log().stream().map(Happening::text).filter(text -> text.contains(part)).toList();
    }

    // ---- a subnet comes up ----

    @Test
    void shouldBeDarkAtFirst() {
        SubnetWorld world = world("subnet-comes-up");
        assertTrue(world.subnet().cables().stream().noneMatch(CableView::plugged));
        assertTrue(world.subnet().nodes().stream().allMatch(node -> node.lid() == 0 && node.manager().isEmpty()));
        assertEquals(List.of(), world.log());
        assertEquals(0, world.ladder().arrows().size());
    }

    @Test
    void shouldTakeEachPortFromDownToActiveInTheOrderOfTheText() {
        SubnetWorld world = up();
        List<String> steps = List.of("Down → Initialize", "Initialize → Armed", "Armed → Active");
        List<Long> ends = new ArrayList<>();
        for (String each : steps) {
            List<Happening> lines = world.log().stream().filter(line -> line.text().endsWith(each)).toList();
            assertEquals(16, lines.size(), each);
            assertEquals(16, lines.stream().map(Happening::text).distinct().count(), "each port once: " + each);
            ends.add(lines.getFirst().timeNs());
            ends.add(lines.getLast().timeNs());
        }
        assertEquals(ends.stream().sorted().toList(), ends, "no port is activated before the last one is armed");
        assertTrue(world.subnet().cables().stream().allMatch(each -> each.firstState().equals("Active")
            && each.secondState().equals("Active")));
        assertEquals(List.of("subnet manager at Ann: MASTER", "subnet manager at Ann: SUBNET UP"), texts(world, "subnet manager at"));
    }

    @Test
    void shouldGiveEachNodeALidAndWriteShortestRoutes() {
        SubnetWorld world = up();
        Set<Integer> lids = new TreeSet<>();
        world.subnet().nodes().forEach(node -> lids.add(node.lid()));
        assertEquals(8, lids.size());
        assertTrue(!lids.contains(0));
        assertShortestRoutes(world);
        for (int each = LEAF_A; each <= LEAF_B; each++) {
            assertEquals(8, world.fact(each, "routes"));
        }
        assertEquals(16, world.fact(0, "active_ports"));
    }

    @Test
    void shouldCarryTheListOfPortsInEachDirectedDatagram() {
        SubnetWorld world = up();
        Arrow last = world.ladder().arrows().stream().filter(each -> each.summary().label().equals("Get(NodeInfo)") && each.to() == DORA)
            .findFirst().orElseThrow();
        assertEquals(LEAF_B, last.from());
        Map<String, String> fields = new HashMap<>();
        for (Field each : SubnetDecoder.fields(last.bytes(), last.format())) {
            fields.put(each.name(), each.value());
        }
        // Ann has port 1; Leaf A, the spine and Leaf B are left by the ports that the topology has.
        int spine = world.ladder().arrows().get(last.id() - 1).from();
        assertEquals("1, " + (spine == SPINE_1 ? 3 : 4) + ", 2, 2", fields.get("initial path: ports to leave by"));
        assertEquals("1, 1, " + (spine == SPINE_1 ? 3 : 4) + ", 1", fields.get("return path: ports it came in by"));
        assertEquals("4", fields.get("hop count"));
        assertEquals("0xffff, permissive", fields.get("DrSLID"));
        List<Arrow> hops = world.ladder().arrows().subList(last.id() - 3, last.id() + 1);
        assertEquals(List.of(ANN, LEAF_A, spine, LEAF_B), hops.stream().map(Arrow::from).toList());
        assertTrue(hops.stream().allMatch(each -> Arrays.equals(each.bytes(), last.bytes())), "one datagram");
    }

    @Test
    void shouldWriteATreeForTheMembersOfAGroup() {
        SubnetWorld world = up();
        assertEquals(0, world.fact(LEAF_A, "group_ports"));
        world.execute(command("join", BEN, null, null, null));
        world.execute(command("join", DORA, null, null, null));
        world.settle(LONG);
        world.execute(command("transfer", BEN, 3, null, SubnetSimulation.TO_GROUP));
        world.settle(LONG);
        assertEquals(List.of("Dora received packet 0", "Dora received packet 1", "Dora received packet 2"), texts(world, "received"),
            "members receive it, except the sender");
        assertEquals(2, world.fact(LEAF_A, "group_ports"));
        assertEquals(2, world.fact(LEAF_B, "group_ports"));
        assertEquals(2, world.fact(SPINE_1, "group_ports") + world.fact(SPINE_2, "group_ports"), "one spine is in the tree");
    }

    @Test
    void shouldComeUpInSpiteOfLosses() {
        SubnetWorld world = new SubnetWorld(Lessons.load().get("subnet-comes-up").scene().withFaults("drop=5%").withSeed(7));
        world.execute(command("power", null, null, null, null));
        world.execute(command("manage", ANN, 3, null, null));
        world.settle(Duration.ofSeconds(60));
        assertEquals(16, world.fact(0, "active_ports"));
        assertShortestRoutes(world);
        assertTrue(world.ladder().arrows().stream().anyMatch(each -> each.isLost() && each.note().equals("cable loss")));
    }

    // ---- pull a cable ----

    @Test
    void shouldHealAPulledCableAndReturnWhenItIsBack() {
        SubnetWorld world = world("pull-a-cable");
        List<NodeView> before = world.subnet().nodes();
        assertEquals(List.of(ANN, LEAF_A, SPINE_1, LEAF_B, DORA), world.route(ANN, DORA).nodes());
        world.execute(command("transfer", ANN, 100, null, DORA));
        for (int i = 0; i < 20; i++) {
            world.step();
        }
        world.execute(command("pull", null, null, TO_SPINE_1, null));
        assertEquals("port 3 of Leaf A has no link", world.route(ANN, DORA).obstacle());
        world.settle(Duration.ofMillis(5));

        assertEquals(List.of(ANN, LEAF_A, SPINE_2, LEAF_B, DORA), world.route(ANN, DORA).nodes());
        assertShortestRoutes(world);
        assertEquals(before.stream().map(NodeView::lid).toList(), world.subnet().nodes().stream().map(NodeView::lid).toList(),
            "LIDs stay");
        assertEquals(100, world.fact(0, "received") + world.fact(0, "lost"), "each packet arrived or was lost");
        assertTrue(world.fact(0, "lost") > 0);
        List<Arrow> lost = world.ladder().arrows().stream().filter(Arrow::isLost).toList();
        assertTrue(lost.stream().filter(each -> each.summary().label().startsWith("data"))
            .allMatch(each -> each.from() == LEAF_A && each.to() == SPINE_1 && each.note().equals("port down")), "at the pulled cable");
        long rerouted = world.log().stream().filter(line -> line.text().contains("Leaf A → Spine 2 → Leaf B → Dora")).findFirst()
            .orElseThrow().timeNs();
        assertTrue(lost.stream().allMatch(each -> each.sentNs() <= rerouted), "nothing is lost by the new route");

        world.execute(command("plug", null, null, TO_SPINE_1, null));
        world.settle(LONG);
        assertEquals(List.of(ANN, LEAF_A, SPINE_1, LEAF_B, DORA), world.route(ANN, DORA).nodes());
        assertShortestRoutes(world);
        assertEquals(16, world.fact(0, "active_ports"));
    }

    @Test
    void shouldSendTrapsToTheManagerAsTheTextSays() {
        SubnetWorld world = world("pull-a-cable");
        world.execute(command("pull", null, null, TO_SPINE_1, null));
        world.settle(Duration.ofMillis(5));
        List<Arrow> traps = world.ladder().arrows().stream().filter(each -> each.summary().label().contains("Trap")).toList();
        assertEquals("Trap(Notice 128)", traps.getFirst().summary().label());
        assertEquals(LEAF_A, traps.getFirst().from());
        assertEquals(ANN, traps.getFirst().to());
        assertTrue(traps.stream().anyMatch(each -> each.isLost() && each.from() == SPINE_1), "Spine 1's own trap is lost");
        int before = texts(world, "SUBNET UP").size();
        world.settle(LONG);
        assertTrue(world.ladder().arrows().stream().anyMatch(each -> each.summary().label().equals("Trap(Notice 128)")
            && each.from() == SPINE_1 && each.to() == LEAF_B), "it is repeated, and goes the other way");
        assertEquals(before + 1, texts(world, "SUBNET UP").size(), "and leads to another sweep");
    }

    @Test
    void shouldSayWhereARouteEndsWithoutASecondWay() {
        SubnetWorld world = world("pull-a-cable");
        world.execute(command("pull", null, null, 7, null));
        world.settle(LONG);
        assertNotEquals("", world.route(ANN, DORA).obstacle());
        world.execute(command("transfer", ANN, 3, null, DORA));
        world.settle(LONG);
        assertEquals(0, world.fact(0, "received"));
        assertEquals(3, world.fact(0, "lost"));
    }

    // ---- both ----

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 77})
    void shouldRepeatARunBySeed(long seed) {
        List<String> runs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SubnetWorld world = new SubnetWorld(Lessons.load().get("pull-a-cable").scene().withSeed(seed).withFaults("drop=10%"));
            world.execute(command("pull", null, null, TO_SPINE_1, null));
            world.settle(LONG);
            runs.add(world.log() + world.ladder().arrows().stream().map(each -> each.sentNs() + each.summary().label() + each.fate())
                .toList().toString());
        }
        assertEquals(runs.get(0), runs.get(1));
    }

    @Test
    void shouldExplainWrongCommands() {
        SubnetWorld world = world("subnet-comes-up");
        assertRefused("Leaf A is a switch", world, command("manage", LEAF_A, 3, null, null));
        assertRefused("priority 16", world, command("manage", ANN, 16, null, null));
        assertRefused("no node 9", world, command("join", 9, null, null, null));
        assertRefused("Ben has no LID yet", world, command("join", BEN, null, null, null));
        assertRefused("no cable 8", world, command("pull", null, null, 8, null));
        assertRefused("no subnet manager runs at Ann", world, command("end_manager", ANN, null, null, null));
        assertRefused("unknown action write", world, command("write", ANN, null, null, null));
        assertRefused("none, or drop=N%", world, new Command("faults", null, null, null, null, null, null, null, "reorder=3%", null, null,
            null));
        assertEquals(List.of(), world.ladder().arrows());
    }

    private static void assertRefused(String part, SubnetWorld world, Command command) {
        String message = assertThrows(IllegalArgumentException.class, () -> world.execute(command)).getMessage();
        assertTrue(message.contains(part), message);
    }
}
