// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * One end of a connection, or a listener ({@code struct rdma_cm_id}). Any thread.
 *
 * <p>With a channel, an operation starts an exchange and an event reports its result. A synchronous identifier ({@link #isSynchronous})
 * waits for that event, keeps it ({@link #event}) until its next operation, and throws if it is a failure: the event's errno, ECONNREFUSED
 * for REJECTED.
 *
 * <p>An operation that does not fit the identifier's state throws EINVAL.
 */
public interface CmId extends AutoCloseable {
    // ---- properties ----

    /** {@return the channel for its events; null if it is synchronous} */
    EventChannel channel();

    /** {@return whether operations wait for their events} */
    default boolean isSynchronous() {
        return channel() == null;
    }

    /** {@return the object given at creation; that of the listener for the identifier of a CONNECT_REQUEST} */
    Object context();

    /**
     * Replaces {@link #context()}, for example after a CONNECT_REQUEST.
     *
     * @param context any object; may be null
     */
    void context(Object context);

    /** {@return the port space} */
    PortSpace portSpace();

    /** {@return the service of its queue pair} */
    QpType qpType();

    /** {@return the device, once bound to an address of it, resolved, or requested there; else null} Shared; closed by its owner. */
    Context verbs();

    /** {@return the device's port, from 1; 0 while the device is not known} */
    int port();

    /** {@return the local address; the wildcard address and port 0 before it is bound} */
    InetSocketAddress localAddress();

    /** {@return the peer's address; null while there is none} */
    InetSocketAddress peerAddress();

    /** {@return the event that ended the last operation of a synchronous identifier; else null} Acknowledged by the next operation. */
    CmEvent event();

    // ---- addresses ----

    /**
     * Binds to an address and a port of the port space.
     *
     * @param address the wildcard address for all devices, as is a loopback address without one; port 0 for any that is free
     * @throws VerbsException EADDRINUSE; EADDRNOTAVAIL: no interface has the address; ENODEV: its interface has no device
     */
    void bind(InetSocketAddress address);

    /**
     * Finds the route to a peer, by the host's routing table, and the local device on it. ADDR_RESOLVED or ADDR_ERROR follow.
     *
     * @param source      address to bind to first, or null for the route's
     * @param destination the peer; {@link #connect} uses its port
     * @param timeoutMs   milliseconds, positive
     * @throws VerbsException EINVAL: the identifier's address, of any interface or of one, is of another IP version; for the source as for
     *                        {@link #bind}
     */
    void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMs);

    /**
     * Resolves the path to the peer. ROUTE_RESOLVED or ROUTE_ERROR follow.
     *
     * @param timeoutMs milliseconds, positive
     */
    void resolveRoute(int timeoutMs);

    // ---- the queue pair ----

    /**
     * Creates a queue pair whose state the connection manager changes: INIT now, so that receives can be posted; ready when the connection
     * is. A datagram queue pair can send at once, with {@link DatagramParameters#UDP_QKEY}.
     *
     * @param pd         null for {@link #pd}'s
     * @param attributes its completion queues may be null: the identifier then creates them, each with a channel of its own
     */
    void createQp(ProtectionDomain pd, QpInitAttributes attributes);

    /** Destroys the queue pair, and the completion queues that {@link #createQp} created. */
    void destroyQp();

    /** {@return the queue pair of {@link #createQp}, or null} */
    QueuePair qp();

    /** {@return the queue pair's protection domain, or the device's shared one; null while the device is not known} */
    ProtectionDomain pd();

    /** {@return the completion queue of the sends of {@link #qp}; null without a queue pair} */
    CompletionQueue sendCq();

    /** {@return the completion queue of the receives of {@link #qp}; null without a queue pair} */
    CompletionQueue receiveCq();

    /**
     * Returns the attributes that move a queue pair of the caller's own to INIT, RTR or RTS ({@code rdma_init_qp_attr}).
     *
     * @param state that the queue pair is moved to
     * @return null if the transport changes the state itself
     * @throws VerbsException EINVAL: not known yet in this state of the connection
     */
    QpAttributes initQpAttributes(QpState state);

    // ---- connections ----

    /**
     * Requests a connection from the peer, or (datagrams) its queue pair. ESTABLISHED, CONNECT_RESPONSE, REJECTED, UNREACHABLE or
     * CONNECT_ERROR follow.
     *
     * @param parameters for example {@link ConnectionParameters#DEFAULT}
     * @throws VerbsException EINVAL: a number out of its range or beyond the device's limit, more private data than the transport carries:
     *     56 bytes on RoCE, 180 of datagrams
     */
    void connect(ConnectionParameters parameters);

    /**
     * Listens. CONNECT_REQUESTs follow. An identifier bound to the wildcard address listens on all devices.
     *
     * @param backlog requests that may wait in the channel; further ones are dropped, and the peer repeats them. 0 for 1024
     * @throws VerbsException EADDRINUSE: another identifier listens there; ENODEV: no device could be opened
     */
    void listen(int backlog);

    /**
     * Waits for the next request at a synchronous listener. If the listener has queue pair attributes
     * ({@link ConnectionManager#createEndpoint}), the new identifier gets such a queue pair.
     *
     * @return the identifier of the request, to be accepted or rejected, and closed
     */
    CmId getRequest();

    /**
     * Accepts the request with the numbers of the request ({@code rdma_accept} with a null parameter): as many reads as both ends support,
     * seven retries.
     */
    void accept();

    /**
     * Accepts the request. ESTABLISHED follows, except for datagrams.
     *
     * @param parameters for example {@link ConnectionParameters#DEFAULT}
     * @throws VerbsException EINVAL: as in {@link #connect}, with 196 bytes of private data on RoCE, 136 of datagrams
     */
    void accept(ConnectionParameters parameters);

    /**
     * Rejects the request.
     *
     * @param privateData at most 148 bytes on RoCE, 136 for datagrams; may be empty
     */
    void reject(byte[] privateData);

    /** Confirms a CONNECT_RESPONSE, once the caller's own queue pair is in RTS. */
    void establish();

    /**
     * Reports an asynchronous event of the caller's own queue pair.
     *
     * @param event COMM_EST can replace a lost message of the peer
     */
    void notify(AsyncEventType event);

    /** Ends the connection, or confirms its end by the peer: the queue pair goes to ERR. DISCONNECTED follows only in the first case. */
    void disconnect();

    // ---- groups, options, completions ----

    /**
     * Moves to another channel, with all pending events. Waits until all delivered events are acknowledged.
     *
     * @param channel null to become synchronous
     */
    void migrate(EventChannel channel);

    /**
     * Joins a group of datagrams. MULTICAST_JOIN or MULTICAST_ERROR follow; the queue pair is attached by then.
     *
     * @param group    IPv4 or IPv6
     * @param sendOnly join for sending only: the queue pair is not attached
     * @param context  any object, returned by {@link CmEvent#joinContext}
     */
    void joinMulticast(InetAddress group, boolean sendOnly, Object context);

    /**
     * Leaves a group.
     *
     * @param group that was joined
     * @throws org.softrdma.verbs.VerbsException EINVAL: it was not joined
     */
    void leaveMulticast(InetAddress group);

    /**
     * Sets the traffic class of the packets, before {@link #resolveRoute} or {@link #accept} ({@code RDMA_OPTION_ID_TOS}).
     *
     * @param tos 0..255
     */
    void typeOfService(int tos);

    /**
     * Sets whether others may bind the same port; before {@link #bind} ({@code RDMA_OPTION_ID_REUSEADDR}).
     *
     * @param reuse true to let them
     */
    void reuseAddress(boolean reuse);

    /**
     * Sets whether the wildcard address means its own IP version only; before {@link #bind} ({@code RDMA_OPTION_ID_AFONLY}).
     *
     * @param only otherwise an IPv6 one means both
     */
    void familyOnly(boolean only);

    /**
     * Sets the local ACK timeout of the queue pair in place of the path's ({@code RDMA_OPTION_ID_ACK_TIMEOUT}); before {@link #connect} or
     * {@link #accept}.
     *
     * @param code 0..31: 4.096 µs · 2^code
     */
    void ackTimeout(int code);

    /**
     * Sets the delay of RNR NAKs, for messages without a receive; before {@link #connect} or {@link #accept}.
     *
     * @param code 0..31
     */
    void minRnrTimer(int code);

    /**
     * Waits for the next completion of the send queue; only with a completion queue that {@link #createQp} created
     * ({@code rdma_get_send_comp}).
     *
     * @param into receives the completion
     */
    void awaitSend(WorkCompletion into);

    /**
     * Waits for the next completion of the receive queue, as {@link #awaitSend} does for the send queue ({@code rdma_get_recv_comp}). When
     * the peer has disconnected, receives that remain complete with WR_FLUSH_ERR; in C they do so over iWARP only, and over RoCE the call
     * waits for ever.
     *
     * @param into receives the completion
     * @throws org.softrdma.verbs.VerbsException ENOTCONN: the peer has disconnected, and no receive is posted
     */
    void awaitReceive(WorkCompletion into);

    /**
     * Destroys the identifier: rejects a pending request, disconnects, destroys the queue pair, frees the port. Waits until all delivered
     * events are acknowledged; undelivered ones are dropped.
     */
    @Override
    void close();
}
