// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.List;

/** Set-up of a test's queue pairs and their connection to the peer's. */
interface Connection {
    /** Creates the queue pairs. Kinds that need the peer for that are connected, too. */
    void open();

    /** Connects each queue pair to the peer's of the same index, unless {@link #open} did. */
    void connect(List<Keys> own, List<Keys> peers);

    /** Closes the connections that {@link #open} made. */
    void disconnect();
}
