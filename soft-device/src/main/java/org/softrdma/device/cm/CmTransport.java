// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

/**
 * What a device's transport does for the connection manager. Any thread may call it; callers hold no lock, and the transport takes that of
 * its device. It calls up ({@link CmListener}, {@link CmHandler}) with that lock held.
 */
public interface CmTransport {
    /**
     * Takes requests for a service from now on, at every address of the device. The listener sorts them by address.
     *
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE: something outside this process has it; EOPNOTSUPP: the transport has no such
     *     service (datagrams on iWARP)
     */
    void listen(CmService service, CmListener listener);

    /** Requests for it are refused from now on; the listener is not called any more once this has returned. */
    void unlisten(CmService service);

    /** A connection that nothing is known of yet; {@link CmConnection#connect} sends the request. */
    CmConnection open(CmHandler handler);
}
