// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;

/**
 * Makes 127.0.0.1 mean what everybody expects. On the loopback interface each process has a 127.0.0.x of its own, so that two can talk to
 * each other; whoever connects to 127.0.0.1 means the one that listens for the port.
 */
public interface LoopbackListeners {
    /** A port that is taken on 127.0.0.1; {@link #close} gives it back, and so does the end of the process. */
    interface Claim extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Tells all processes that this one listens.
     *
     * @param own where connections to 127.0.0.1 are to go
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE: another process listens for it
     */
    Claim claim(CmService service, InetAddress own);

    /** Where somebody listens, or null if nobody does. */
    InetAddress find(CmService service);
}
