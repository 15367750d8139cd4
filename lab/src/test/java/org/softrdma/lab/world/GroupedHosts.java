// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.util.ArrayList;
import java.util.List;

/** Two hosts with many connections, some of which have failed. */
public final class GroupedHosts {
    private GroupedHosts() {
    }

    /** Returns the hosts as the page gets them. */
    public static List<?> of(int queuePairs) {
        List<Hosts.Pair> left = new ArrayList<>();
        List<Hosts.Pair> right = new ArrayList<>();
        for (int i = 0; i < queuePairs / 2; i++) {
            String state = i % 100 == 0 ? "ERR" : "RTS";
            left.add(new Hosts.Pair("l" + i, -1, -1, "0x" + Integer.toHexString(i), "RC", state, "r" + i, "", 1));
            right.add(new Hosts.Pair("r" + i, -1, -1, "0x" + Integer.toHexString(i), "RC", state, "l" + i, "", 1));
        }
        return Hosts.grouped(List.of(new Hosts.Host("client", "RoCE v2", left), new Hosts.Host("server", "RoCE v2", right)));
    }
}
