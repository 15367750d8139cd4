// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/**
 * Hears what happens to a {@link CmConnection}. Called with the device's lock held, in the order it happened; does not block and does not
 * call the transport: what there is to do is done later, by the application's thread.
 */
public interface CmHandler {
    /**
     * The peer accepted and waits for {@link CmConnection#establish}, once the queue pair is ready to receive and send. InfiniBand only.
     *
     * @param parameters seen from this end, with the peer's queue pair number
     */
    void onResponse(ConnectionParameters parameters);

    /**
     * Both ends are ready.
     *
     * @param parameters iWARP's answer, on the connecting side; elsewhere null
     */
    void onEstablished(ConnectionParameters parameters);

    /** The peer said where datagrams go. */
    void onDatagramTarget(DatagramParameters parameters);

    /**
     * The peer refused.
     *
     * @param status the event's: a reason of InfiniBand unchanged, also an unknown one; -ECONNREFUSED, -ECONNRESET on iWARP
     */
    void onRejected(int status, byte[] privateData);

    /**
     * No answer, or (datagrams) a refusal.
     *
     * @param status the event's: -ETIMEDOUT, or the status in the answer
     */
    void onUnreachable(int status, byte[] privateData);

    /**
     * There will be no connection, for another reason: no way to the peer, or it broke the rules. Not on InfiniBand.
     *
     * @param status the event's, a negative errno
     */
    void onConnectError(int status);

    /**
     * The peer disconnects, or answered our disconnecting.
     *
     * @param status 0, or -ETIMEDOUT if it did not answer
     */
    void onDisconnected(int status);

    /** No packet of the connection can turn up any more. InfiniBand only. */
    void onTimewaitExit();
}
