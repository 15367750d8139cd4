// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * A queue pair. Any thread may call any method; posts of several threads to one queue are serialized.
 */
public interface QueuePair extends AutoCloseable {
    /** {@return the protection domain; null for {@link QpType#XRC_RECV}, which belongs to an {@link XrcDomain}} */
    ProtectionDomain pd();

    /** {@return the queue pair number, 24 bits} */
    int qpNum();

    /** {@return the service} */
    QpType type();

    /** {@return the current state; a failed work request can change it at any time} */
    QpState state();

    /** {@return granted sizes, at least those requested} */
    QpCapabilities capabilities();

    /**
     * Changes the state or attributes, as the table of {@link QpTransitions} allows.
     *
     * @param attributes those that are set are changed
     * @throws VerbsException EINVAL, naming the attribute; the queue pair is then unchanged. EHOSTUNREACH, ENETUNREACH: no route to
     *     the peer
     */
    void modify(QpAttributes attributes);

    /** {@return all attributes, with the current PSNs} */
    QpAttributes query();

    /**
     * Moves an RC or UC queue pair from RESET to INIT, where receives can be posted, and returns what the peer must know for
     * {@link #connect(QpAddress, QpAddress)}: on the GID of RoCE v2, and IPv4, if the device has such a one. The peer has all rights; the
     * memory regions limit them.
     *
     * @return address of this end, for the peer
     * @throws VerbsException EINVAL: another service or state; EOPNOTSUPP: iWARP, which connects by address only; EADDRNOTAVAIL: no GID
     */
    default QpAddress init() {
        return QpSteps.init(this);
    }

    /**
     * Moves the queue pair to INIT as {@link #init()} does, on a GID of the caller's choice.
     *
     * @param gid an entry of {@link Context#queryGidTable}
     * @return address of this end, for the peer
     */
    default QpAddress init(GidEntry gid) {
        return QpSteps.init(this, gid);
    }

    /**
     * Moves an RC or UC queue pair from INIT to RTS, connected to the peer: with the smaller MTU of both ends, as many READs as the peer
     * accepts, an ACK timeout of 1.07 s with seven retries, and no limit to the wait for a receive of the peer. For other values, call
     * {@link #modify}.
     *
     * @param own  from {@link #init()}
     * @param peer the peer's {@link #init()}, received out of band
     * @throws VerbsException EINVAL: another service or state, or GIDs of different kinds; EADDRNOTAVAIL: {@code own} is no address of
     *     this device; EHOSTUNREACH, ENETUNREACH: no route to the peer
     */
    default void connect(QpAddress own, QpAddress peer) {
        QpSteps.connect(this, own, peer);
    }

    /**
     * Connects two RC or UC queue pairs of this process: both are in RTS afterwards.
     *
     * @param one   in RESET or INIT
     * @param other in RESET or INIT, on the same device or another
     * @throws VerbsException as {@link #init()} and {@link #connect(QpAddress, QpAddress)}
     */
    static void connect(QueuePair one, QueuePair other) {
        QpAddress first = one.init();
        QpAddress second = other.init();
        one.connect(first, second);
        other.connect(second, first);
    }

    /**
     * Moves a UD queue pair from RESET to RTS, on port 1. Receives can be posted afterwards: a datagram that finds none is lost.
     *
     * @param qkey 32 bits; senders must name it
     * @throws VerbsException EINVAL: another service or state
     */
    default void activate(int qkey) {
        QpSteps.activate(this, qkey);
    }

    /**
     * Posts one send work request. All of {@code request} is copied; the memory of its elements belongs to the device until
     * completion. In ERR the request is accepted and flushed.
     *
     * @param request can be reused afterwards
     * @throws VerbsException EINVAL: state below RTS, wrong opcode for the service, too many elements, inline beyond
     *     {@link QpCapabilities#maxInlineData()}; ENOMEM: the queue is full
     */
    void postSend(SendRequest request);

    /**
     * Posts in order until one is refused.
     *
     * @param requests can be reused afterwards
     * @throws BadWorkRequestException naming the request that was refused; those before it are posted
     */
    default void postSend(List<SendRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            try {
                postSend(requests.get(i));
            } catch (VerbsException refused) {
                throw new BadWorkRequestException(refused, i);
            }
        }
    }

    /**
     * Creates a batch, which posts several send work requests at once, all or none.
     *
     * @param operations bits of {@link SendOps}: operations of the batch's requests
     * @return the batch, reusable, for one thread at a time
     * @throws VerbsException EOPNOTSUPP: this queue pair does not support one of them
     */
    default SendBatch sendBatch(int operations) {
        throw VerbsException.unsupported("create_qp_ex");
    }

    /**
     * Posts one receive work request, in any state but RESET. In ERR it is accepted and flushed.
     *
     * @param request can be reused afterwards
     * @throws VerbsException EINVAL: RESET, too many elements, or no receive queue of its own ({@link SharedReceiveQueue}, XRC); ENOMEM:
     *     the queue is full
     */
    void postReceive(ReceiveRequest request);

    /**
     * Posts in order until one is refused.
     *
     * @param requests can be reused afterwards
     * @throws BadWorkRequestException naming the request that was refused; those before it are posted
     */
    default void postReceive(List<ReceiveRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            try {
                postReceive(requests.get(i));
            } catch (VerbsException refused) {
                throw new BadWorkRequestException(refused, i);
            }
        }
    }

    /**
     * Binds a type 1 window to part of a region, or ends its binding ({@code bind_mw}). The window has its new {@link MemoryWindow#rkey}
     * when this returns; the key grants access once the posted work request has completed.
     *
     * @param window    of type 1
     * @param wrId      opaque 64 bits that the completion returns
     * @param region    of the queue pair's and the window's protection domain, registered with MW_BIND; may be null with length 0
     * @param address   first byte, as the region's address space names it
     * @param length    bytes; 0 ends the binding
     * @param access    REMOTE_* bits of {@link AccessFlags}
     * @param sendFlags bits of {@link SendFlags}
     * @throws VerbsException EINVAL: a type 2 window, objects of another protection domain, other rights, a state below RTS; ENOMEM: the
     *     queue is full. A violation that only the device can detect fails the work request with MW_BIND_ERR
     */
    default void bind(MemoryWindow window, long wrId, MemoryRegion region, long address, long length, int access, int sendFlags) {
        throw VerbsException.unsupported("bind_mw");
    }

    /**
     * Attaches a UD queue pair to a group; each datagram sent to the group consumes one receive. The queue pair must be detached before it
     * can be closed. Datagrams of a member are also delivered to the member itself and to all members on its host.
     *
     * @param group an IPv4 group as a mapped GID, or an IPv6 group; senders name queue pair 0xffffff and the members' Q_Key
     * @throws VerbsException EINVAL: not a UD queue pair, or not a multicast GID; ENOMEM: {@link DeviceAttributes#maxMcastGrp()} or
     *     {@link DeviceAttributes#maxMcastQpAttach()}; other errno values of the host
     */
    default void attachMulticast(Gid group) {
        throw VerbsException.unsupported("attach_mcast");
    }

    /**
     * Detaches the queue pair from a group.
     *
     * @param group that it was attached to
     * @throws VerbsException EINVAL: it is not attached
     */
    default void detachMulticast(Gid group) {
        throw VerbsException.unsupported("detach_mcast");
    }

    /**
     * Destroys the queue pair; waits until its asynchronous events are acknowledged. What was posted before may still be sent while this
     * method runs, and complete; what is outstanding after it does not complete.
     *
     * @throws VerbsException EBUSY: it is attached to a multicast group
     */
    @Override
    void close();
}
