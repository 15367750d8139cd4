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
 * One end of a connection, or who listens for them ({@code struct rdma_cm_id}). Any thread.
 *
 * <p>With a channel, operations begin something and an event says how it ended. A synchronous identifier ({@link #isSynchronous}) waits
 * for that event, keeps it ({@link #event}) until its next operation, and throws if it is a failure: the event's errno, ECONNREFUSED for
 * REJECTED.
 *
 * <p>An operation that does not fit the identifier's state throws EINVAL.
 */
public interface CmId extends AutoCloseable {
    // ---- what it is ----

    /** Null if it is synchronous. */
    EventChannel channel();

    default boolean isSynchronous() {
        return channel() == null;
    }

    /** What it was created with. A CONNECT_REQUEST's has that of the one that listens. */
    Object context();

    /** For programs that find out later, as with a CONNECT_REQUEST's. */
    void context(Object context);

    PortSpace portSpace();

    /** Service of its queue pair. */
    QpType qpType();

    /** The device, once it is known: bound to an address of it, resolved, or requested there; else null. Shared; closed by its owner. */
    Context verbs();

    /** The device's port, from 1; 0 while the device is not known. */
    int port();

    /** Where it is bound; the wildcard address and port 0 before. */
    InetSocketAddress localAddress();

    /** The peer; null while there is none. */
    InetSocketAddress peerAddress();

    /** The event that ended the last operation of a synchronous identifier; else null. Acknowledged by the next operation. */
    CmEvent event();

    // ---- addresses ----

    /**
     * Takes an address and a port of the port space.
     *
     * @param address the wildcard address for all devices; port 0 for any that is free
     * @throws VerbsException EADDRINUSE; EADDRNOTAVAIL: no interface has it; ENODEV: its interface has no device
     */
    void bind(InetSocketAddress address);

    /**
     * Finds the way to a peer, by the host's routing table, and the device it begins at. ADDR_RESOLVED or ADDR_ERROR follow.
     *
     * @param source      to bind to first, or null for what the way asks for
     * @param destination whose port is used by {@link #connect}
     * @param timeoutMs   milliseconds, positive
     */
    void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMs);

    /** Finds the rest of the way. ROUTE_RESOLVED or ROUTE_ERROR follow. */
    void resolveRoute(int timeoutMs);

    // ---- the queue pair ----

    /**
     * Makes a queue pair that the connection manager moves from state to state: in INIT now, so that receives can be posted; ready when the
     * connection is. One of datagrams can send at once, with {@link DatagramParameters#UDP_QKEY}.
     *
     * @param pd         null for {@link #pd}'s
     * @param attributes its completion queues may be null: the identifier then makes them, each with a channel of its own
     */
    void createQp(ProtectionDomain pd, QpInitAttributes attributes);

    /** Destroys it, and the completion queues that {@link #createQp} made. */
    void destroyQp();

    /** What {@link #createQp} made, or null. */
    QueuePair qp();

    /** Its queue pair's protection domain, or the device's shared one; null while the device is not known. */
    ProtectionDomain pd();

    /** Where {@link #qp}'s sends complete; null without. */
    CompletionQueue sendCq();

    /** Where {@link #qp}'s receives complete; null without. */
    CompletionQueue receiveCq();

    /**
     * What a queue pair of the caller's own has to be modified with, to go to INIT, RTR or RTS ({@code rdma_init_qp_attr}).
     *
     * @return null if there is nothing to do: the transport moves it
     * @throws VerbsException EINVAL: not known yet in this state of the connection
     */
    QpAttributes initQpAttributes(QpState state);

    // ---- connections ----

    /**
     * Asks the peer for a connection, or (datagrams) where to send. ESTABLISHED, CONNECT_RESPONSE, REJECTED, UNREACHABLE or CONNECT_ERROR
     * follow.
     *
     * @param parameters {@link ConnectionParameters#DEFAULT}, for one
     * @throws VerbsException EINVAL: a number out of its range or beyond the device's limit, more private data than the transport carries:
     *     56 bytes on RoCE, 180 of datagrams
     */
    void connect(ConnectionParameters parameters);

    /**
     * Listens. CONNECT_REQUESTs follow. One bound to the wildcard address listens on all devices there are.
     *
     * @param backlog requests that may wait in the channel; more are forgotten, and asked again by the peer. 0 for 1024
     * @throws VerbsException EADDRINUSE: another listens there; ENODEV: no device could be opened
     */
    void listen(int backlog);

    /**
     * Of a synchronous identifier that listens: waits for the next request. If this one has queue pair attributes
     * ({@link ConnectionManager#createEndpoint}), the new one gets such a queue pair.
     */
    CmId getRequest();

    /**
     * Accepts what was requested, with the numbers of the request ({@code rdma_accept} with a null parameter): as many reads as both can,
     * seven retries.
     */
    void accept();

    /**
     * Accepts what was requested. ESTABLISHED follows, but not for datagrams.
     *
     * @throws VerbsException EINVAL: as in {@link #connect}, with 196 bytes of private data on RoCE, 136 of datagrams
     */
    void accept(ConnectionParameters parameters);

    /** Refuses what was requested. @param privateData 148 bytes on RoCE, 136 of datagrams; may be empty */
    void reject(byte[] privateData);

    /** Answers a CONNECT_RESPONSE, once the caller's own queue pair is in RTS. */
    void establish();

    /** Tells of an asynchronous event of the caller's own queue pair: COMM_EST may stand for a lost message of the peer. */
    void notify(AsyncEventType event);

    /** Ends the connection, or answers the peer's end of it: the queue pair goes to ERR. DISCONNECTED follows the first. */
    void disconnect();

    // ---- the rest ----

    /** Has events come out elsewhere, those that wait included; null: synchronous. Waits until all that were handed out are given back. */
    void migrate(EventChannel channel);

    /**
     * Joins a group of datagrams. MULTICAST_JOIN or MULTICAST_ERROR follow; the queue pair is attached by then.
     *
     * @param sendOnly to send only: nothing is attached
     * @param context  handed back by {@link CmEvent#joinContext}
     */
    void joinMulticast(InetAddress group, boolean sendOnly, Object context);

    /** EINVAL if it has not joined that group. */
    void leaveMulticast(InetAddress group);

    /** Traffic class of the packets, 0..255, before {@link #resolveRoute} or {@link #accept} ({@code RDMA_OPTION_ID_TOS}). */
    void typeOfService(int tos);

    /** Whether others may bind the same port; before {@link #bind} ({@code RDMA_OPTION_ID_REUSEADDR}). */
    void reuseAddress(boolean reuse);

    /** Whether the wildcard address stands for its own IP version only; before {@link #bind} ({@code RDMA_OPTION_ID_AFONLY}). */
    void familyOnly(boolean only);

    /**
     * Local ACK timeout code of the queue pair, 0..31, instead of what the path gives ({@code RDMA_OPTION_ID_ACK_TIMEOUT}); before
     * {@link #connect} or {@link #accept}.
     */
    void ackTimeout(int code);

    /** Delay code 0..31 that the queue pair asks of senders that meet no receive; before {@link #connect} or {@link #accept}. */
    void minRnrTimer(int code);

    /**
     * Takes the next completion of the send queue, sleeping until there is one; only with a completion queue that {@link #createQp} made
     * ({@code rdma_get_send_comp}).
     */
    void awaitSend(WorkCompletion into);

    /** As {@link #awaitSend}, of the receive queue. */
    void awaitReceive(WorkCompletion into);

    /**
     * Ends it: refuses what was not answered, disconnects, destroys the queue pair, gives the port back. Waits until all its events that
     * were handed out are acknowledged; those that were not are dropped.
     */
    @Override
    void close();
}
