// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.fabric.model.Cable;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricNode;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.FabricSwitch;
import org.softrdma.wire.ib.PortInfo;

/** View of a simulated subnet that is independent of its manager: packets are followed through the tables that the switches have. */
final class ConnectedSubnet {
    private final Fabric fabric;
    private final Map<FabricPort, FabricPort> peers = new HashMap<>();

    ConnectedSubnet(Fabric fabric) {
        this.fabric = fabric;
        for (Cable each : fabric.cables()) {
            if (each.isPlugged()) {
                peers.put(each.first(), each.second());
                peers.put(each.second(), each.first());
            }
        }
    }

    List<FabricPort> ends() {
        List<FabricPort> ends = new ArrayList<>();
        for (FabricNode node : fabric.nodes()) {
            if (node.isSwitch()) {
                ends.add(node.port(0));
            } else if (peers.containsKey(node.port(1))) {
                ends.add(node.port(1));
            }
        }
        return ends;
    }

    /** Links that a packet goes over, each by the port it is left by. */
    List<FabricPort> walk(FabricPort from, FabricPort to) {
        List<FabricPort> links = new ArrayList<>();
        FabricPort here = from;
        while (here != to) {
            FabricPort out = here.node() instanceof FabricSwitch node ? node.port(node.outputPort(to.lid())) : here;
            assertTrue(out != null && peers.containsKey(out), () -> "no way from " + from + " to " + to);
            assertEquals(PortInfo.STATE_ACTIVE, out.state(), () -> out + " is not active");
            links.add(out);
            here = peers.get(out);
            assertTrue(links.size() <= fabric.nodes().size(), () -> "a loop from " + from + " to " + to);
            if (here.node() == to.node() && to.number() == 0) {
                here = to;
            }
        }
        return links;
    }

    /**
     * Follows a packet from each port to each other one.
     *
     * @param managerLid LID of the manager that all ports must have
     */
    void assertConnected(int managerLid) {
        List<FabricPort> ends = ends();
        Set<Integer> lids = new HashSet<>();
        for (FabricPort each : ends) {
            assertNotEquals(0, each.lid(), each::toString);
            assertTrue(lids.add(each.lid()), () -> "LID twice: " + each.lid());
            assertEquals(managerLid, each.smLid());
        }
        Map<FabricPort, Set<FabricPort>> dependencies = new HashMap<>();
        for (FabricPort from : ends) {
            for (FabricPort to : ends) {
                List<FabricPort> links = walk(from, to);
                for (int i = 1; i < links.size(); i++) {
                    dependencies.computeIfAbsent(links.get(i - 1), key -> new HashSet<>()).add(links.get(i));
                }
            }
        }
        Set<FabricPort> finished = new HashSet<>();
        dependencies.keySet().forEach(each -> assertNoCycle(each, dependencies, new HashSet<>(), finished));
    }

    private static void assertNoCycle(FabricPort link, Map<FabricPort, Set<FabricPort>> after, Set<FabricPort> open,
            Set<FabricPort> finished) {
        if (finished.contains(link)) {
            return;
        }
        assertTrue(open.add(link), () -> "a loop of credits over " + link);
        after.getOrDefault(link, Set.of()).forEach(each -> assertNoCycle(each, after, open, finished));
        open.remove(link);
        finished.add(link);
    }
}
