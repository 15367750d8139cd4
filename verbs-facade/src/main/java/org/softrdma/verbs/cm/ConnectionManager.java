// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ServiceLoader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/** Entry point of connection management: channels and identifiers, over the devices of all providers. Any thread. */
public interface ConnectionManager {
    /**
     * Returns the connection manager of this process: the first in the order of {@link Verbs#ORDER_PROPERTY}.
     *
     * @throws VerbsException ENOSYS: no provider on the class path or module path
     */
    static ConnectionManager get() {
        ConnectionManagerProvider first = null;
        for (ConnectionManagerProvider provider : ServiceLoader.load(ConnectionManagerProvider.class)) {
            if (provider.isUsable() && (first == null || Verbs.rank(provider.origin()) < Verbs.rank(first.origin()))) {
                first = provider;
            }
        }
        if (first != null) {
            return first.connectionManager();
        }
        throw new VerbsException(Errno.ENOSYS, "create_event_channel",
            "no connection manager on the class path; connection-manager has one");
    }

    EventChannel createEventChannel();

    /**
     * @param channel channel for its events; null for a synchronous identifier
     * @param context any object, returned by {@link CmId#context()}; may be null
     * @param type    service of its queue pair
     * @throws VerbsException EINVAL: a service that the port space does not support
     */
    CmId createId(EventChannel channel, Object context, PortSpace portSpace, QpType type);

    /** Creates an identifier with the port space's usual service. */
    default CmId createId(EventChannel channel, Object context, PortSpace portSpace) {
        return createId(channel, context, portSpace, portSpace.usualType());
    }

    /**
     * Creates a synchronous identifier, ready to connect, or bound and ready to listen.
     *
     * @param info from {@link #addressInfo}
     * @param pd   protection domain of the queue pair; null for the device's shared one
     * @param qp   attributes of its queue pair; for a listener, of its requests' queue pairs. Null for none
     */
    CmId createEndpoint(AddressInfo info, ProtectionDomain pd, QpInitAttributes qp);

    /**
     * Resolves a name or an address to an {@link AddressInfo} ({@code rdma_getaddrinfo}).
     *
     * @param node    null for the wildcard address if passive, else for the own host
     * @param port    0..65535
     * @param passive to listen
     * @throws VerbsException EADDRNOTAVAIL: unknown name
     */
    static AddressInfo addressInfo(String node, int port, PortSpace portSpace, boolean passive) {
        InetSocketAddress address;
        try {
            address = node == null && passive ? new InetSocketAddress(port) : new InetSocketAddress(InetAddress.getByName(node), port);
        } catch (UnknownHostException unknown) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "getaddrinfo", "no host is named " + node, unknown);
        }
        return new AddressInfo(passive, portSpace.usualType(), portSpace, passive ? address : null, passive ? null : address);
    }
}
