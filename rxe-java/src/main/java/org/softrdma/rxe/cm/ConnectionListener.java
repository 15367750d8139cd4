// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/**
 * Receives the events of one connection. Called while the owner calls the {@link CommunicationManager}; commands to the connection may be
 * given from inside.
 */
public interface ConnectionListener {
    /** Active side: the peer accepts, see {@link Connection#reply}. Answer with {@link Connection#confirm} or {@link Connection#reject}. */
    void onReply(Connection connection);

    /** Passive side: the peer is ready. */
    void onEstablished(Connection connection);

    /**
     * The peer rejects the connection, or has given up.
     *
     * @param reason      {@link org.softrdma.wire.cm.CmRejectReason}
     * @param privateData 148 bytes
     */
    void onRejected(Connection connection, int reason, byte[] privateData);

    /** The peer does not answer during connection establishment. */
    void onUnreachable(Connection connection);

    /** Active side: the peer's host reports its RoCE v2 port as unreachable. The connection is closed. */
    void onPortUnreachable(Connection connection);

    /** The peer requests the end of the connection. Answer with {@link Connection#disconnect}. */
    void onDisconnectRequest(Connection connection);

    /**
     * The connection has ended as requested by this side.
     *
     * @param timedOut true if the peer did not answer
     */
    void onDisconnected(Connection connection, boolean timedOut);

    /** The timewait period of an ended connection is over: no late packet of it can be received any more. */
    void onTimewaitExit(Connection connection);
}
