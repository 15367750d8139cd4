// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.host.inspect.Resource;

/** The objects of a context that others may see. Any thread. */
final class LiveObjects {
    /** One of them. */
    interface Shown {
        /** As it is now; it may just be going. */
        Resource resource();
    }

    private final Set<Shown> all = ConcurrentHashMap.newKeySet();

    void add(Shown object) {
        all.add(object);
    }

    void remove(Shown object) {
        all.remove(object);
    }

    void report(ReportBuilder.Device into) {
        for (Shown each : all) {
            into.add(each.resource());
        }
    }
}
