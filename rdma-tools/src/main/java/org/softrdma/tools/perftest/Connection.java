// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.List;

/** How the queue pairs of a test come into being and find the peer's. */
interface Connection {
    /** Makes the queue pairs. Those that need the peer's help for it are connected, too. */
    void open();

    /** Connects each to the peer's of the same index, unless {@link #open} did. */
    void connect(List<Keys> own, List<Keys> peers);

    /** Ends what {@link #open} began with the peer. */
    void disconnect();
}
