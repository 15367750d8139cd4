// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The switches of a subnet with the links between them, and the LIDs that are reached at each. Switches are numbered from 0 in the order
 * they were added.
 */
final class SwitchGraph {
    /** A link as its first end sees it. */
    record Link(int port, int to) {
    }

    /** A LID, the switch it belongs to, and the port it is reached by there; port 0 is the switch itself. */
    record Destination(int lid, int at, int port) {
    }

    private final List<List<Link>> links = new ArrayList<>();
    private final List<Destination> destinations = new ArrayList<>();

    int addSwitch() {
        links.add(new ArrayList<>());
        return links.size() - 1;
    }

    /** Adds one direction of a link; a cable of a switch to itself is of no use to routes, and ignored. */
    void addLink(int from, int port, int to) {
        if (from != to) {
            links.get(from).add(new Link(port, to));
        }
    }

    void addDestination(int lid, int at, int port) {
        destinations.add(new Destination(lid, at, port));
    }

    int size() {
        return links.size();
    }

    List<Link> links(int from) {
        return links.get(from);
    }

    List<Destination> destinations() {
        return destinations;
    }

    /** Number of links on the shortest way from a switch to each; {@link Integer#MAX_VALUE} to those that are not connected. */
    int[] hopsFrom(int start) {
        int[] hops = new int[size()];
        Arrays.fill(hops, Integer.MAX_VALUE);
        int[] queue = new int[size()];
        hops[start] = 0;
        queue[0] = start;
        int tail = 1;
        for (int head = 0; head < tail; head++) {
            for (Link each : links.get(queue[head])) {
                if (hops[each.to()] == Integer.MAX_VALUE) {
                    hops[each.to()] = hops[queue[head]] + 1;
                    queue[tail++] = each.to();
                }
            }
        }
        return hops;
    }
}
