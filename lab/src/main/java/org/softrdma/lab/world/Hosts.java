// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Hosts, queue pairs and connections as the graph of the page draws them. */
public final class Hosts {
    /** Queue pairs of one host that are drawn one by one. */
    static final int MOST_DRAWN = 48;

    /**
     * A host, or a device of a running process.
     *
     * @param detail second line: kind and address
     */
    record Host(String name, String detail, List<Pair> pairs) {
    }

    /**
     * A queue pair.
     *
     * @param id         unique in the graph
     * @param end        number of the end in a simulated world, -1 elsewhere
     * @param connection number of the connection in a simulated world, -1 elsewhere
     * @param state      as in {@code RTS}; {@code NONE} before it is created
     * @param peer       {@link #id} of the queue pair that it is connected with, empty if unknown
     * @param detail     further attributes, for the pointer
     * @param count      number of queue pairs that it stands for
     */
    record Pair(String id, int end, int connection, String qpn, String type, String state, String peer, String detail, int count) {
    }

    private Hosts() {
    }

    static List<Host> of(SimulatedWorld world) {
        List<Host> hosts = new ArrayList<>();
        for (int device = 0; device < world.scene().devices().size(); device++) {
            List<Pair> pairs = new ArrayList<>();
            for (End end : world.ends()) {
                if (end.device == device) {
                    pairs.add(pair(world, end));
                }
            }
            String kind = switch (world.fabric().kind(device)) {
                case ROCE_V2 -> "RoCE v2";
                case ROCE_V1 -> "RoCE v1";
                case IWARP -> "iWARP";
            };
            hosts.add(new Host(world.scene().devices().get(device).name(), kind + ", "
                + world.fabric().address(device).getHostAddress(), pairs));
        }
        return hosts;
    }

    /** Hosts whose queue pairs are too many to be drawn get one for each state and each host of the peers. */
    static List<Host> grouped(List<Host> hosts) {
        Map<String, String> groupOf = new HashMap<>();
        Map<String, String> hostOf = new HashMap<>();
        for (int i = 0; i < hosts.size(); i++) {
            for (Pair each : hosts.get(i).pairs()) {
                hostOf.put(each.id(), String.valueOf(i));
            }
        }
        for (int i = 0; i < hosts.size(); i++) {
            for (Pair each : hosts.get(i).pairs()) {
                boolean many = hosts.get(i).pairs().size() > MOST_DRAWN;
                groupOf.put(each.id(), many ? "group " + i + " " + hostOf.get(each.peer()) + " " + each.state() : each.id());
            }
        }
        List<Host> shown = new ArrayList<>();
        for (Host host : hosts) {
            Map<String, Pair> pairs = new LinkedHashMap<>();
            for (Pair each : host.pairs()) {
                String group = groupOf.get(each.id());
                Pair before = pairs.get(group);
                int count = each.count() + (before == null ? 0 : before.count());
                pairs.put(group, group.equals(each.id()) ? each : new Pair(group, -1, -1, count + " queue pairs", each.type(), each.state(),
                    groupOf.getOrDefault(each.peer(), ""), count + " queue pairs in " + each.state(), count));
            }
            shown.add(new Host(host.name(), host.detail(), List.copyOf(pairs.values())));
        }
        return shown;
    }

    private static Pair pair(SimulatedWorld world, End end) {
        String qpn = end.qp == null ? "" : "0x" + Integer.toHexString(end.qp.qpNum());
        return new Pair("end" + end.number, end.number, end.number / 2, qpn, "RC", world.stateOf(end.number), "end" + end.peer.number,
            "memory: " + end.memory, 1);
    }
}
