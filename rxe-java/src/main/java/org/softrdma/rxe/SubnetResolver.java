// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;

/** Finds ports of a subnet by IP address, and paths to them. It uses queue pairs and queue pair 1 of a context, from threads of its own. */
public interface SubnetResolver extends AutoCloseable {
    /**
     * Asks the neighbours on IP over InfiniBand for the port that has an address.
     *
     * @param ip IPv6, or IPv4 as mapped address
     * @return GID of the port
     * @throws org.softrdma.verbs.VerbsException ETIMEDOUT: no port answers; ENETUNREACH: the address is in no subnet of ours
     */
    Gid findPort(Gid ip, long timeoutNs);

    /**
     * Asks subnet administration for a path.
     *
     * @return a PathRecord, from offset 0
     * @throws org.softrdma.verbs.VerbsException ETIMEDOUT: no answer; EINVAL: there is no path
     */
    ByteBuffer findPath(Gid port, long timeoutNs);

    @Override
    void close();
}
