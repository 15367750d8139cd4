// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import org.softrdma.link.fault.Wire;
import org.softrdma.verbs.Gid;

/** One direction between two addresses, with a wire of its own. */
final class Flow {
    final Gid from;
    final Gid to;
    final Wire wire = new Wire();

    Flow(Gid from, Gid to) {
        this.from = from;
        this.to = to;
    }

    record Key(Gid from, Gid to) {
    }
}
