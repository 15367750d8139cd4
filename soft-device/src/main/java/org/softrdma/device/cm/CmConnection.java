// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetSocketAddress;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * One end of a connection, or of a look-up of a datagram's destination, as a transport has it. Threads as in {@link CmTransport}. What
 * does not fit its state throws EINVAL and says the state.
 */
public interface CmConnection {
    /** Who is called from now on. From {@link CmListener#onRequest}, or before {@link #connect}. */
    void handler(CmHandler handler);

    /**
     * Sends the request. For UD only the private data of the parameters is sent. Answers are {@link CmHandler#onResponse},
     * {@link CmHandler#onEstablished}, {@link CmHandler#onDatagramTarget}, {@link CmHandler#onRejected} and
     * {@link CmHandler#onUnreachable}; they may come before this returns.
     *
     * @param service    to ask for
     * @param type       RC, UC or UD
     * @param local      an address of the device, and the identifier's port
     * @param remote     address and port of the peer
     * @param parameters without {@link ConnectionParameters#MAX}: within the device's limits; with the queue pair's number
     * @throws org.softrdma.verbs.VerbsException EINVAL: private data beyond what the transport carries, or no such queue pair;
     *     EHOSTUNREACH, ENETUNREACH, EOPNOTSUPP. Nothing was sent then
     */
    void connect(CmService service, QpType type, InetSocketAddress local, InetSocketAddress remote, ConnectionParameters parameters,
                 CmPathOptions options);

    /**
     * Answers a request. On InfiniBand the queue pair is ready to send already; {@link CmHandler#onEstablished} follows when the peer is.
     * For UD that is all, and nothing follows.
     *
     * @param parameters as in {@link #connect}; for UD number and private data count
     * @param qkey       for UD: what the peer shall send with
     */
    void accept(ConnectionParameters parameters, int qkey);

    /**
     * Refuses a request, or (InfiniBand) a response that came: an application's refusal.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL: too much private data
     */
    void reject(byte[] privateData);

    /** Answers a response: the queue pair is ready. InfiniBand's RTU; nothing on iWARP. */
    void establish();

    /** The queue pair received something although {@link CmHandler#onEstablished} did not come: it has been established. */
    void communicationEstablished();

    /**
     * Disconnects, or answers the peer's disconnecting; for UD nothing. The queue pair is in ERR already, unless the transport
     * {@linkplain #movesQueuePair moves} it. {@link CmHandler#onDisconnected} answers the first.
     */
    void disconnect();

    /**
     * Whether the transport itself takes the queue pair to RTS when it is connected, and out of it when it disconnects, once what was
     * posted is done. iWARP's does: its queue pairs are their streams.
     */
    boolean movesQueuePair();

    /**
     * What the queue pair has to be modified with to go to a state ({@code rdma_init_qp_attr}): from RESET or INIT to INIT, to RTR, to RTS.
     *
     * @param options as they are now: they may have been set since {@link #connect}, or there was none
     * @return with the state set; null if the transport itself {@linkplain #movesQueuePair moves} the queue pair there
     * @throws org.softrdma.verbs.VerbsException EINVAL: not known yet
     */
    QpAttributes qpAttributes(QpState to, CmPathOptions options);

    /**
     * Forgets it, telling the peer what is proper in its state: refusing, disconnecting once, or nothing. The handler is not called any
     * more once this has returned. Whatever state it is in; further calls do nothing.
     */
    void close();
}
