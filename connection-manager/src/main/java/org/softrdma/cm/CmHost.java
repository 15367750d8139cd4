// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.softrdma.device.agent.VirtualTime;
import org.softrdma.host.loopback.LoopbackListeners;
import org.softrdma.verbs.cm.PortSpace;

/** Services of the host that the connection manager needs. */
public interface CmHost {
    /** Returns the present devices. */
    List<CmDevice> devices();

    /** Returns true if any interface has the address, with or without an RDMA device. */
    boolean has(InetAddress address);

    /**
     * Looks up the source address of packets to a destination in the routing table.
     *
     * @throws org.softrdma.verbs.VerbsException ENETUNREACH, EHOSTUNREACH
     */
    InetAddress sourceFor(InetAddress destination);

    /** Returns the table of listeners on the loopback interface, shared by all processes. */
    LoopbackListeners loopbackListeners();

    /**
     * Returns true if a port that no identifier of this process uses may be given to an identifier that is bound without a port. A port of
     * {@link PortSpace#TCP} is a TCP port of the host if the identifier gets an iWARP device, and another process may use it. The result
     * may be outdated when the port is used; on Windows every port is reported as free.
     */
    boolean isFree(PortSpace space, InetSocketAddress address);

    /**
     * Start of the search for a free port in {@link PortTable#FIRST_EPHEMERAL}..{@link PortTable#LAST_EPHEMERAL}.
     *
     * @return 0 or more, below {@code bound}
     */
    int random(int bound);

    /** Returns what calls that wait for an event let pass; null, the default, for real time. */
    default VirtualTime virtualTime() {
        return null;
    }
}
