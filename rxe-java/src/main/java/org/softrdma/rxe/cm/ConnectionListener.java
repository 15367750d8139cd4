// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/**
 * Told what becomes of one connection, while the owner calls the {@link CommunicationManager}; commands may be given from inside.
 */
public interface ConnectionListener {
    /** Active side: the peer accepts, see {@link Connection#reply}. To be answered by {@link Connection#confirm} or a rejection. */
    void onReply(Connection connection);

    /** Passive side: the peer is ready. */
    void onEstablished(Connection connection);

    /**
     * The peer refuses, or gives up.
     *
     * @param reason      {@link org.softrdma.wire.cm.CmRejectReason}
     * @param privateData 148 bytes
     */
    void onRejected(Connection connection, int reason, byte[] privateData);

    /** The peer does not answer, while the connection is made. */
    void onUnreachable(Connection connection);

    /** Active side: the peer's host says that it has nobody who speaks RoCE v2. The connection is over. */
    void onPortUnreachable(Connection connection);

    /** The peer asks for the end; to be answered by {@link Connection#disconnect}. */
    void onDisconnectRequest(Connection connection);

    /**
     * The end that we asked for has come.
     *
     * @param timedOut the peer did not answer
     */
    void onDisconnected(Connection connection, boolean timedOut);

    /** The connection had an end, and no packet of it can turn up any more. */
    void onTimewaitExit(Connection connection);
}
