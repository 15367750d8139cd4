// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import org.softrdma.fabric.model.Fabric;

/** One connection of a process to the fabric. Used with the fabric's lock held. */
interface Session {
    /** Reads and writes, as far as the channel permits. */
    void onReady(Fabric fabric);

    /** Ends the session. */
    void close(Fabric fabric);
}
