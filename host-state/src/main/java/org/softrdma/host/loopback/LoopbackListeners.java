// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.loopback;

import java.net.InetAddress;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Maps 127.0.0.1 to the process that listens for a port. On the loopback interface each process has its own 127.0.x.y, so that processes
 * can connect to each other; a connection to 127.0.0.1 is directed to the process that listens.
 */
public interface LoopbackListeners {
    /** A port of rdma_cm. */
    record Port(PortSpace space, int number) {
    }

    /** Claim of a port on 127.0.0.1, released by {@link #close} and by the end of the process. */
    interface Claim extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Claims a port on 127.0.0.1 for this process.
     *
     * @param own address to which connections to 127.0.0.1 are directed
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE: another process listens for it
     */
    Claim claim(Port port, InetAddress own);

    /** Returns the address of the listener, or null if there is none. */
    InetAddress find(Port port);
}
