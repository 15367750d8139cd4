// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.util.Objects;
import java.util.SplittableRandom;
import org.softrdma.fabric.host.FabricHost;
import org.softrdma.fabric.ibsim.IbsimServer;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.topology.Topology;

/** A fabric with everything that serves it: processes by its name, and ibsim's clients. */
public final class FabricProcess implements AutoCloseable {
    private final FabricHost host;
    private final FabricService service;
    private final IbsimServer ibsim;

    /** How ibsim's clients reach a fabric. */
    public sealed interface Ibsim {
        /** They do not. */
        record None() implements Ibsim {
        }

        /**
         * By sockets of this host.
         *
         * @param base first part of their names: clients read it from IBSIM_SOCKNAME, {@code sim} without it
         */
        record Local(String base) implements Ibsim {
        }

        /**
         * By UDP on the loopback interface: clients read the address from IBSIM_SERVER_NAME and IBSIM_SERVER_PORT.
         *
         * @param port control port; {@link IbsimServer#MAX_CLIENTS} more follow it
         */
        record Udp(int port) implements Ibsim {
        }
    }

    /**
     * Powers a fabric on.
     *
     * @param name     unique among the user's running fabrics
     * @param observer called with the fabric's lock held
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE: the name, or the sockets of ibsim's protocol, are taken
     */
    public FabricProcess(Topology topology, String name, Ibsim clients, FabricObserver observer) {
        host = new FabricHost(new Fabric(topology, new SplittableRandom(), Objects.requireNonNull(observer)));
        try {
            service = new FabricService(host, FabricDirectory.ofUser(), name);
        } catch (RuntimeException refused) {
            host.close();
            throw refused;
        }
        try {
            ibsim = switch (clients) {
                case Ibsim.None none -> null;
                case Ibsim.Local local -> IbsimServer.local(host, local.base());
                case Ibsim.Udp udp -> IbsimServer.udp(host, udp.port());
            };
        } catch (RuntimeException refused) {
            service.close();
            host.close();
            throw refused;
        }
    }

    @Override
    public void close() {
        if (ibsim != null) {
            ibsim.close();
        }
        service.close();
        host.close();
    }
}
