// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import java.util.List;
import org.softrdma.verbs.GidType;

/**
 * What a device's transport does for the connection manager. Any thread may call it; callers hold no lock, and the transport takes that of
 * its device. It calls up ({@link CmListener}, {@link CmHandler}) with that lock held.
 */
public interface CmTransport {
    /** The IP addresses of the device's interface that connections can come from and go to now. */
    List<InetAddress> addresses();

    /** Whether connections can come from and go to an address; of those that are too many to list, too. */
    default boolean has(InetAddress address) {
        return addresses().contains(address);
    }

    /**
     * The address on the loopback interface that is this process's alone, where processes cannot share 127.0.0.1: then 127.0.0.1 stands
     * for whichever of them listens. Null if the device is not on that interface, or if the host's sockets see to all that.
     */
    InetAddress ownLoopback();

    /**
     * Takes requests for a service from now on, at the addresses the listener names, or at every address of the device: the listener sorts
     * them by address.
     *
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE: something outside this process has it; EOPNOTSUPP: the transport has no such
     *     service (datagrams on iWARP)
     */
    void listen(CmService service, CmListener listener);

    /**
     * The listener of a service names other addresses now.
     *
     * @throws org.softrdma.verbs.VerbsException as {@link #listen}; it listens where it did, then, as far as that is wanted still
     */
    void relisten(CmService service);

    /** Requests for it are refused from now on; the listener is not called any more once this has returned. */
    void unlisten(CmService service);

    /** The kind of GID that connections and groups use: on RoCE, which version they are of. */
    default GidType gidType() {
        return GidType.ROCE_V2;
    }

    /** A connection that nothing is known of yet; {@link CmConnection#connect} sends the request. */
    CmConnection open(CmHandler handler);

    /**
     * The process ends: returns when what peers have to know has been sent, or after a moment. A transport that sends at once has nothing
     * to do.
     */
    default void settle() {
    }
}
