// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Routes of a subnet: the shortest ones, spread over links of equal distance; or, if packets on those could block each other in a circle,
 * routes that first lead up towards one switch and then down from it, as Autonet's do. Up is the end of a link that is nearer to the root;
 * of two equally near, the one with the lower number. No route turns up again after it led down, so there is no circle. Source: Schroeder
 * and others, Autonet: a high-speed, self-configuring local area network, 1990.
 */
final class Routing {
    private static final int UNREACHABLE = Integer.MAX_VALUE;

    private final SwitchGraph graph;
    /** Routes over each port of each switch so far. */
    private final int[][] load;
    private final ForwardingTables tables;
    /** Place of each switch in the order from the root down; null if the shortest routes are used. */
    private final int[] place;

    private Routing(SwitchGraph graph, int topLid, int[] place) {
        this.graph = graph;
        this.place = place;
        load = new int[graph.size()][256];
        tables = new ForwardingTables(graph.size(), topLid);
    }

    /** Tables by which every LID is reached from every switch that is connected to it, without loops of packets or of credits. */
    static ForwardingTables route(SwitchGraph graph, int topLid) {
        ForwardingTables shortest = new Routing(graph, topLid, null).fill();
        return shortest.hasCreditLoop(graph) ? new Routing(graph, topLid, placesFromRoot(graph)).fill() : shortest;
    }

    /** Root is the switch whose farthest one is nearest. */
    private static int[] placesFromRoot(SwitchGraph graph) {
        int root = 0;
        int least = UNREACHABLE;
        for (int i = 0; i < graph.size(); i++) {
            int farthest = Arrays.stream(graph.hopsFrom(i)).max().orElse(0);
            if (farthest < least) {
                least = farthest;
                root = i;
            }
        }
        int[] rank = graph.hopsFrom(root);
        List<Integer> order = IntStream.range(0, graph.size()).boxed().sorted(Comparator.comparingInt(i -> rank[i])).toList();
        int[] place = new int[graph.size()];
        for (int i = 0; i < place.length; i++) {
            place[order.get(i)] = i;
        }
        return place;
    }

    private ForwardingTables fill() {
        for (SwitchGraph.Destination to : graph.destinations()) {
            tables.set(to.at(), to.lid(), to.port());
            int[] distance = place == null ? graph.hopsFrom(to.at()) : null;
            if (distance != null) {
                for (int from = 0; from < graph.size(); from++) {
                    if (from != to.at() && distance[from] != UNREACHABLE) {
                        choose(from, to.lid(), distance, distance[from] - 1, false, false);
                    }
                }
            } else {
                upAndDown(to);
            }
        }
        return tables;
    }

    /**
     * A switch from which a way down leads to the destination always uses it: which way a packet came cannot be seen there, and one that
     * came down must not go up.
     */
    private void upAndDown(SwitchGraph.Destination to) {
        int[] byPlace = new int[place.length];
        for (int i = 0; i < place.length; i++) {
            byPlace[place[i]] = i;
        }
        int[] down = new int[place.length];
        Arrays.fill(down, UNREACHABLE);
        down[to.at()] = 0;
        for (int p = place[to.at()] - 1; p >= 0; p--) {
            down[byPlace[p]] = nearest(byPlace[p], down, false);
        }
        int[] distance = down.clone();
        for (int from : byPlace) {
            if (down[from] != UNREACHABLE && from != to.at()) {
                choose(from, to.lid(), down, down[from] - 1, true, false);
            } else if (from != to.at()) {
                distance[from] = nearest(from, distance, true);
                if (distance[from] != UNREACHABLE) {
                    choose(from, to.lid(), distance, distance[from] - 1, true, true);
                }
            }
        }
    }

    private boolean isUp(int from, int to) {
        return place[to] < place[from];
    }

    private int nearest(int from, int[] distance, boolean up) {
        int least = UNREACHABLE;
        for (SwitchGraph.Link each : graph.links(from)) {
            if (isUp(from, each.to()) == up && distance[each.to()] != UNREACHABLE) {
                least = Math.min(least, distance[each.to()] + 1);
            }
        }
        return least;
    }

    /** Takes the least used one of the links that lead to a switch of that distance. */
    private void choose(int from, int lid, int[] distance, int wanted, boolean directed, boolean up) {
        int best = -1;
        for (SwitchGraph.Link each : graph.links(from)) {
            boolean allowed = distance[each.to()] == wanted && (!directed || isUp(from, each.to()) == up);
            if (allowed && (best < 0 || load[from][each.port()] < load[from][best])) {
                best = each.port();
            }
        }
        load[from][best]++;
        tables.set(from, lid, best);
    }
}
