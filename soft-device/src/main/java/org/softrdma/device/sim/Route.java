// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.sim;

import org.softrdma.verbs.Gid;

/** One direction between two addresses, and the troubles it is in. */
final class Route {
    final Gid from;
    final Gid to;
    /** Times before the first packet. */
    long partitionedUntilNs = Long.MIN_VALUE;
    long cloggedUntilNs = Long.MIN_VALUE;
    long lastArrivalNs = Long.MIN_VALUE;

    Route(Gid from, Gid to) {
        this.from = from;
        this.to = to;
    }

    record Key(Gid from, Gid to) {
    }
}
