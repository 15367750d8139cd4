// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.softrdma.wire.ib.LinearForwardingBlock;

/** Output ports of all switches by LID. */
final class ForwardingTables {
    private final byte[][] ports;

    ForwardingTables(int switches, int topLid) {
        ports = new byte[switches][topLid + 1];
        for (byte[] each : ports) {
            Arrays.fill(each, (byte) LinearForwardingBlock.NO_PORT);
        }
    }

    void set(int at, int lid, int port) {
        ports[at][lid] = (byte) port;
    }

    /** Output port, or {@link LinearForwardingBlock#NO_PORT}. */
    int get(int at, int lid) {
        return lid < ports[at].length ? ports[at][lid] & 0xFF : LinearForwardingBlock.NO_PORT;
    }

    /**
     * Whether packets could wait for each other in a circle. A packet that holds the buffer behind one link waits for the next link of its
     * route; there is a loop of credits if these dependencies of links have a cycle. Source: Dally and Seitz, Deadlock-Free Message
     * Routing in Multiprocessor Interconnection Networks, 1987.
     */
    boolean hasCreditLoop(SwitchGraph graph) {
        Map<Integer, Integer> channels = new HashMap<>();
        int[][] far = new int[graph.size()][256];
        for (int from = 0; from < graph.size(); from++) {
            for (SwitchGraph.Link each : graph.links(from)) {
                channels.put(from << 8 | each.port(), channels.size());
                far[from][each.port()] = each.to() + 1;
            }
        }
        boolean[][] follows = new boolean[channels.size()][channels.size()];
        for (SwitchGraph.Destination to : graph.destinations()) {
            for (int from = 0; from < graph.size(); from++) {
                int port = get(from, to.lid());
                int next = far[from][port] - 1;
                if (from == to.at() || next < 0 || next == to.at()) {
                    continue;
                }
                Integer after = channels.get(next << 8 | get(next, to.lid()));
                if (after != null) {
                    follows[channels.get(from << 8 | port)][after] = true;
                }
            }
        }
        return hasCycle(follows);
    }

    /** Removes channels that nothing leads to until none is left, or a cycle. */
    private static boolean hasCycle(boolean[][] follows) {
        int[] before = new int[follows.length];
        for (boolean[] each : follows) {
            for (int i = 0; i < each.length; i++) {
                before[i] += each[i] ? 1 : 0;
            }
        }
        int[] free = new int[follows.length];
        int tail = 0;
        for (int i = 0; i < before.length; i++) {
            if (before[i] == 0) {
                free[tail++] = i;
            }
        }
        for (int head = 0; head < tail; head++) {
            for (int i = 0; i < before.length; i++) {
                if (follows[free[head]][i] && --before[i] == 0) {
                    free[tail++] = i;
                }
            }
        }
        return tail < before.length;
    }
}
