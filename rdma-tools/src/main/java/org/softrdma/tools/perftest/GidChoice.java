// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;

/** Choice of a test's GID if none is given. */
final class GidChoice {
    private GidChoice() {
    }

    /** The first address of the wanted kind, RoCE v2 before v1; the first entry at all if there is none. */
    static int best(Context context, int port, boolean ipv6) {
        GidEntry best = null;
        for (GidEntry each : context.queryGidTable()) {
            if (each.port() == port && (best == null || isBetter(each, best, ipv6))) {
                best = each;
            }
        }
        return best == null ? 0 : best.index();
    }

    private static boolean isBetter(GidEntry rival, GidEntry best, boolean ipv6) {
        boolean rivalFits = rival.gid().isIpv4Mapped() != ipv6;
        boolean bestFits = best.gid().isIpv4Mapped() != ipv6;
        return rivalFits != bestFits ? rivalFits : rival.type().value() > best.type().value();
    }
}
