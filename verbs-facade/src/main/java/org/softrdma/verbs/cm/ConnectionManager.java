// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/** Entry point of connection management: channels and identifiers, over the devices of all providers. Any thread. */
public interface ConnectionManager {
    /**
     * Finds the connection manager of this process.
     *
     * @return the first in the order of {@link Verbs#ORDER_PROPERTY} that has devices, or the first of all if there are no devices
     * @throws VerbsException ENOSYS: no provider on the class path or module path
     */
    static ConnectionManager get() {
        List<String> origins = Verbs.devices().stream().map(RdmaDevice::origin).toList();
        List<ConnectionManagerProvider> providers = providers();
        for (ConnectionManagerProvider each : providers) {
            if (origins.contains(each.origin()) && each.isUsable()) {
                return each.connectionManager();
            }
        }
        for (ConnectionManagerProvider each : providers) {
            if (each.isUsable()) {
                return each.connectionManager();
            }
        }
        throw new VerbsException(Errno.ENOSYS, "create_event_channel",
            "no connection manager on the class path; softrdma-cm has one");
    }

    /**
     * Finds the connection manager for devices of one origin.
     *
     * @param origin as {@link RdmaDevice#origin}
     * @return the connection manager
     * @throws VerbsException ENOSYS: what it needs is not installed
     */
    static ConnectionManager get(String origin) {
        for (ConnectionManagerProvider each : providers()) {
            if (each.origin().equals(origin) && each.isUsable()) {
                return each.connectionManager();
            }
        }
        throw new VerbsException(Errno.ENOSYS, "create_event_channel", "no connection manager for devices of " + origin
            + "; those of softrdma need softrdma-cm on the class path, those of libibverbs librdmacm.so.1");
    }

    /** The providers in the order of {@link Verbs#ORDER_PROPERTY}. */
    private static List<ConnectionManagerProvider> providers() {
        List<ConnectionManagerProvider> providers = new ArrayList<>();
        ServiceLoader.load(ConnectionManagerProvider.class).forEach(providers::add);
        // As in Verbs.devices, no serializable lambda.
        providers.sort((one, other) -> Integer.compare(Verbs.rank(one.origin()), Verbs.rank(other.origin())));
        return providers;
    }

    /**
     * Creates a channel for the events of identifiers.
     *
     * @return the channel, to be closed
     */
    EventChannel createEventChannel();

    /**
     * Creates an identifier.
     *
     * @param channel   channel for its events; null for a synchronous identifier
     * @param context   any object, returned by {@link CmId#context()}; may be null
     * @param portSpace that its ports belong to
     * @param type      service of its queue pair
     * @return the identifier, to be closed
     * @throws VerbsException EINVAL: a service that the port space does not support
     */
    CmId createId(EventChannel channel, Object context, PortSpace portSpace, QpType type);

    /**
     * Creates an identifier with the port space's usual service.
     *
     * @param channel   channel for its events; null for a synchronous identifier
     * @param context   any object; may be null
     * @param portSpace that its ports belong to
     * @return the identifier, to be closed
     */
    default CmId createId(EventChannel channel, Object context, PortSpace portSpace) {
        return createId(channel, context, portSpace, portSpace.usualType());
    }

    /**
     * Creates a synchronous identifier, ready to connect, or bound and ready to listen.
     *
     * @param info from {@link #addressInfo}
     * @param pd   protection domain of the queue pair; null for the device's shared one
     * @param qp   attributes of its queue pair; for a listener, of its requests' queue pairs. Null for none
     * @return the identifier, to be closed
     */
    CmId createEndpoint(AddressInfo info, ProtectionDomain pd, QpInitAttributes qp);

    /**
     * Resolves a name or an address to an {@link AddressInfo} ({@code rdma_getaddrinfo}).
     *
     * @param node    null for the wildcard address if passive, else for the own host
     * @param port    0..65535
     * @param portSpace that the port belongs to
     * @param passive to listen
     * @return the address, for {@link #createEndpoint}
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
