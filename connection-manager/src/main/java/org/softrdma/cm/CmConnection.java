// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetSocketAddress;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * A transport's end of a connection, or of a datagram look-up. Threads as in {@link CmTransport}. Calls that are not allowed in the state
 * of the end fail with EINVAL and name the state.
 */
public interface CmConnection {
    /** Sets the handler of further events. Called from {@link CmListener#onRequest}, or before {@link #connect}. */
    void handler(CmHandler handler);

    /**
     * Sends the request. For UD only the private data of the parameters is sent. Answers are {@link CmHandler#onResponse},
     * {@link CmHandler#onEstablished}, {@link CmHandler#onDatagramTarget}, {@link CmHandler#onRejected} and
     * {@link CmHandler#onUnreachable}; it may be called before this returns.
     *
     * @param service    requested service
     * @param type       RC, UC or UD
     * @param local      an address of the device, and the identifier's port
     * @param remote     address and port of the peer
     * @param parameters within the device's limits, without {@link ConnectionParameters#MAX}, and with the queue pair's number
     * @throws org.softrdma.verbs.VerbsException EINVAL: private data too long for the transport, or no such queue pair;
     *     EHOSTUNREACH, ENETUNREACH, EOPNOTSUPP; then nothing was sent
     */
    void connect(CmService service, QpType type, InetSocketAddress local, InetSocketAddress remote, ConnectionParameters parameters,
                 CmPathOptions options);

    /**
     * Accepts a request. On InfiniBand the queue pair must be ready to send; {@link CmHandler#onEstablished} follows when the peer is
     * ready. For UD no event follows.
     *
     * @param parameters as in {@link #connect}; for UD only number and private data are used
     * @param qkey       for UD: Q_Key that the peer must send with
     */
    void accept(ConnectionParameters parameters, int qkey);

    /**
     * Rejects a request, or (InfiniBand) a received response, on behalf of the application.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL: too much private data
     */
    void reject(byte[] privateData);

    /** Confirms a response: the queue pair is ready. Sends InfiniBand's RTU; without effect on iWARP. */
    void establish();

    /** Reports a packet received by the queue pair before {@link CmHandler#onEstablished}: the connection is established. */
    void communicationEstablished();

    /**
     * Disconnects, or confirms the peer's disconnect; for UD without effect. The queue pair is in ERR already, unless the transport
     * {@linkplain #movesQueuePair moves} it. A disconnect by this end is followed by {@link CmHandler#onDisconnected}.
     */
    void disconnect();

    /**
     * Returns true if the transport itself moves the queue pair to RTS when it is connected, and out of RTS when it disconnects, once the
     * posted requests are complete. True for iWARP, whose queue pairs are bound to their TCP streams.
     */
    boolean movesQueuePair();

    /**
     * Computes the attributes for moving the queue pair to a state ({@code rdma_init_qp_attr}): from RESET or INIT to INIT, to RTR, to RTS.
     *
     * @param options current options; they may have changed since {@link #connect}
     * @return attributes including the state; null if the transport itself {@linkplain #movesQueuePair moves} the queue pair there
     * @throws org.softrdma.verbs.VerbsException EINVAL: the peer has not answered yet
     */
    QpAttributes qpAttributes(QpState to, CmPathOptions options);

    /**
     * Discards the end in any state and notifies the peer as proper in that state: by a rejection, by one disconnect request, or not at
     * all. The handler is not called after this has returned. Further calls have no effect.
     */
    void close();
}
