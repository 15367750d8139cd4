// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.softrdma.verbs.cm.PortSpace;

/** The machine, as far as the connection manager needs it. */
public interface CmHost {
    /** The devices there are now. */
    List<CmDevice> devices();

    /** Whether any interface, with or without device, has the address. */
    boolean has(InetAddress address);

    /**
     * The source address of packets to a destination, by the routing table.
     *
     * @throws org.softrdma.verbs.VerbsException ENETUNREACH, EHOSTUNREACH
     */
    InetAddress sourceFor(InetAddress destination);

    /** Who listens where on the loopback interface, of all processes. */
    LoopbackListeners loopbackListeners();

    /**
     * Whether a port that no identifier of this process has may be given to one that asks for none. A port of {@link PortSpace#TCP} is a
     * TCP port of the host's if the identifier comes to be on iWARP, and somebody else's connection may have it. Whoever takes it after
     * this was asked, and before it is used, still gets it; on Windows it always looks free.
     */
    boolean isFree(PortSpace space, InetSocketAddress address);

    /**
     * Where the search for a free port starts; ports come from {@link PortTable#FIRST_EPHEMERAL}..{@link PortTable#LAST_EPHEMERAL}.
     *
     * @return 0 or more, below {@code bound}
     */
    int random(int bound);
}
