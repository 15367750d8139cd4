// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.host.inspect.Resource;

/** The objects of a context that introspection reports. Any thread. */
final class LiveObjects {
    /** An object that introspection reports. */
    interface Shown {
        /**
         * Describes the current state of the object.
         *
         * @return may describe an object that is being destroyed by another thread
         */
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
