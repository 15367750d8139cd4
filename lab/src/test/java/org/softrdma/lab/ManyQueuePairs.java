// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import com.google.gson.Gson;
import java.util.List;
import org.softrdma.lab.world.GroupedHosts;

/** A graph with many queue pairs, grouped as the server does it, in the form that a browser takes. */
final class ManyQueuePairs {
    private ManyQueuePairs() {
    }

    static List<?> grouped(int queuePairs) {
        return new Gson().fromJson(new Gson().toJson(GroupedHosts.of(queuePairs)), List.class);
    }
}
