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
import org.softrdma.verbs.VerbsException;

/** The way in: channels and identifiers, over the devices of all providers. Any thread. */
public interface ConnectionManager {
    /**
     * The one of this process.
     *
     * @throws VerbsException ENOSYS: none is on the class path
     */
    static ConnectionManager get() {
        for (ConnectionManagerProvider provider : ServiceLoader.load(ConnectionManagerProvider.class)) {
            return provider.connectionManager();
        }
        throw new VerbsException(Errno.ENOSYS, "create_event_channel",
            "no connection manager on the class path; soft-device brings one");
    }

    EventChannel createEventChannel();

    /**
     * @param channel where its events come out; null for a synchronous identifier
     * @param context anything, handed back by {@link CmId#context()}; may be null
     * @param type    of its queue pair
     * @throws VerbsException EINVAL: a type the port space does not have
     */
    CmId createId(EventChannel channel, Object context, PortSpace portSpace, QpType type);

    /** An identifier with the port space's usual service. */
    default CmId createId(EventChannel channel, Object context, PortSpace portSpace) {
        return createId(channel, context, portSpace, portSpace.usualType());
    }

    /**
     * A synchronous identifier, ready to connect, or bound and ready to listen.
     *
     * @param info from {@link #addressInfo}
     * @param pd   of the queue pair; null for the device's shared one
     * @param qp   its queue pair; of one that listens, the queue pairs of its requests. Null for none
     */
    CmId createEndpoint(AddressInfo info, ProtectionDomain pd, QpInitAttributes qp);

    /**
     * Turns a name or an address into an {@link AddressInfo} ({@code rdma_getaddrinfo}).
     *
     * @param node    null for the wildcard address, if passive; for the own host else
     * @param port    0..65535
     * @param passive to listen
     * @throws VerbsException EADDRNOTAVAIL: the name is not known
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
