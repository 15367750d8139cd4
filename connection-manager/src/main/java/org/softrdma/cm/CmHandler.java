// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/**
 * Receives the events of a {@link CmConnection}, in order. Called with the device's lock held; must not block and must not call the
 * transport: reactions are left to the application's thread.
 */
public interface CmHandler {
    /**
     * The peer accepted and waits for {@link CmConnection#establish}, which requires a queue pair that is ready to send. InfiniBand only.
     *
     * @param parameters seen from this end, with the peer's queue pair number
     */
    void onResponse(ConnectionParameters parameters);

    /**
     * Both ends are ready.
     *
     * @param parameters answer of the peer, on the connecting side of iWARP; null otherwise
     */
    void onEstablished(ConnectionParameters parameters);

    /** The peer answered a datagram look-up with its queue pair. */
    void onDatagramTarget(DatagramParameters parameters);

    /**
     * The peer rejected the request.
     *
     * @param status status of the event: the reject reason of InfiniBand, even if unknown; -ECONNREFUSED or -ECONNRESET on iWARP
     */
    void onRejected(int status, byte[] privateData);

    /**
     * The peer did not answer, or refused a datagram look-up.
     *
     * @param status status of the event: -ETIMEDOUT, or the status in the answer
     */
    void onUnreachable(int status, byte[] privateData);

    /**
     * The connection failed for another reason: no route to the peer, or a protocol violation. Not on InfiniBand.
     *
     * @param status status of the event, a negative errno
     */
    void onConnectError(int status);

    /** The connection failed because this host refused something. */
    default void onConnectError(VerbsException cause) {
        onConnectError(-cause.errno().value());
    }

    /**
     * The peer disconnected, or confirmed our disconnect.
     *
     * @param status 0, or -ETIMEDOUT if it did not answer
     */
    void onDisconnected(int status);

    /** The timewait period is over: no late packet of the connection can be received any more. InfiniBand only. */
    void onTimewaitExit();
}
