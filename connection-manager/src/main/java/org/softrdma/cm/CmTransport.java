// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.util.List;
import org.softrdma.verbs.GidType;

/**
 * Services of a device's transport for the connection manager. Any thread may call it; callers hold no lock, and the transport takes that
 * of its device. It calls {@link CmListener} and {@link CmHandler} with that lock held.
 */
public interface CmTransport {
    /** Returns the IP addresses of the device's interface that connections can use at present. */
    List<InetAddress> addresses();

    /** Returns true if connections can use an address, including addresses that are too many to list. */
    default boolean has(InetAddress address) {
        return addresses().contains(address);
    }

    /**
     * Returns the loopback address that belongs to this process alone, for transports whose processes cannot share 127.0.0.1: there
     * 127.0.0.1 stands for the process that listens. Null if the device is on another interface, or if the host's sockets share 127.0.0.1.
     */
    InetAddress ownLoopback();

    /**
     * Starts accepting requests for a service, at the addresses of the listener or at every address of the device: the listener
     * distributes requests by address.
     *
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE: used outside this process; EOPNOTSUPP: the transport has no such
     *     service (datagrams on iWARP)
     */
    void listen(CmService service, CmListener listener);

    /**
     * Updates the addresses of a service, because those of its listener have changed.
     *
     * @throws org.softrdma.verbs.VerbsException as {@link #listen}; then it keeps listening at those previous addresses that are still
     * wanted
     */
    void relisten(CmService service);

    /** Stops listening: requests are refused, and the listener is not called after this has returned. */
    void unlisten(CmService service);

    /** Returns the GID type of connections and groups, which on RoCE is the version. */
    default GidType gidType() {
        return GidType.ROCE_V2;
    }

    /** Returns what finds the ports of peers and the routes to them; null where the host's tables have both. */
    default CmResolver resolver() {
        return null;
    }

    /** Creates an end of a connection; {@link CmConnection#connect} sends the request. */
    CmConnection open(CmHandler handler);

    /**
     * Waits until pending notifications of peers are sent, but only for a moment, because the process ends. Without effect for a transport
     * that sends at once.
     */
    default void settle() {
    }
}
