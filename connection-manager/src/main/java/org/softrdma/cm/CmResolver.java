// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import org.softrdma.verbs.Gid;

/**
 * Finds peers on networks where that takes messages: InfiniBand, where neighbours on IP over InfiniBand are asked for the port that has an
 * address, and subnet administration for the path to the port. Both calls wait for answers; the caller holds no lock.
 */
public interface CmResolver {
    /**
     * Finds the port that has an IP address.
     *
     * @param timeoutMs maximum time to wait
     * @return GID of the port
     * @throws org.softrdma.verbs.VerbsException ETIMEDOUT: no port answers; ENETUNREACH: the address is in no subnet of ours
     */
    Gid findPort(InetAddress address, int timeoutMs);

    /**
     * Finds a route to a port.
     *
     * @param timeoutMs maximum time to wait
     * @throws org.softrdma.verbs.VerbsException ETIMEDOUT: subnet administration does not answer; EINVAL: it has no path
     */
    CmRoute findRoute(Gid port, int timeoutMs);
}
