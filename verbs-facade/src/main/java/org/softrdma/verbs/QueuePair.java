// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * A queue pair. Any thread may call any method; posts of several threads to one queue are serialized.
 */
public interface QueuePair extends AutoCloseable {
    /** Null of an {@link QpType#XRC_RECV} queue pair, which belongs to an {@link XrcDomain}. */
    ProtectionDomain pd();

    /** 24 bits. */
    int qpNum();

    QpType type();

    /** The state now; a failed work request can change it at any time. */
    QpState state();

    /** What was granted: at least what was asked. */
    QpCapabilities capabilities();

    /**
     * Moves the queue pair to another state or changes attributes, after the table of {@link QpTransitions}.
     *
     * @throws VerbsException EINVAL, naming the attribute; the queue pair is then unchanged. EHOSTUNREACH, ENETUNREACH: no way to the peer
     */
    void modify(QpAttributes attributes);

    /** Everything known, PSNs being the current ones. */
    QpAttributes query();

    /**
     * Posts one send work request. All of {@code request} is copied; what its elements name belongs to the device until completion.
     * In ERR it is accepted and flushed.
     *
     * @throws VerbsException EINVAL: state below RTS, wrong opcode for the service, too many elements, inline beyond
     *     {@link QpCapabilities#maxInlineData()}; ENOMEM: the queue is full
     */
    void postSend(SendRequest request);

    /** Posts in order until one is refused: {@link BadWorkRequestException} names it, and those before it are posted. */
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
     * A way to post several send work requests at once, all or nothing.
     *
     * @param operations bits of {@link SendOps}: what it will be used for
     * @throws VerbsException EOPNOTSUPP: one of them is not an operation of this queue pair
     */
    default SendBatch sendBatch(int operations) {
        throw VerbsException.unsupported("create_qp_ex");
    }

    /**
     * Posts one receive work request, from INIT on. In ERR it is accepted and flushed.
     *
     * @throws VerbsException EINVAL: RESET, too many elements, or no receive queue of its own ({@link SharedReceiveQueue}, XRC); ENOMEM:
     *     the queue is full
     */
    void postReceive(ReceiveRequest request);

    /** Posts in order until one is refused: {@link BadWorkRequestException} names it, and those before it are posted. */
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
     * when this returns; it opens something once the work request that this posts has completed.
     *
     * @param region    of the queue pair's and the window's protection domain, registered with MW_BIND; may be null with length 0
     * @param address   first byte, as the region's address space names it
     * @param length    bytes; 0 ends the binding
     * @param access    REMOTE_* bits of {@link AccessFlags}
     * @param sendFlags bits of {@link SendFlags}
     * @throws VerbsException EINVAL: a type 2 window, objects of another protection domain, other rights, a state below RTS; ENOMEM: the
     *     queue is full. What only the device can check fails the work request with MW_BIND_ERR
     */
    default void bind(MemoryWindow window, long wrId, MemoryRegion region, long address, long length, int access, int sendFlags) {
        throw VerbsException.unsupported("bind_mw");
    }

    /**
     * Makes a UD queue pair receive what is sent to a group, each datagram into a receive of its own. It must be detached before it can be
     * closed. What a member itself sends to the group comes back to it, and to all members on its host.
     *
     * @param group an IPv4 group as a mapped GID, or an IPv6 group; senders name queue pair 0xffffff and the members' Q_Key
     * @throws VerbsException EINVAL: no UD queue pair, or no multicast GID; ENOMEM: {@link DeviceAttributes#maxMcastGrp()} or
     *     {@link DeviceAttributes#maxMcastQpAttach()}; others of the host
     */
    default void attachMulticast(Gid group) {
        throw VerbsException.unsupported("attach_mcast");
    }

    /** @throws VerbsException EINVAL: it is not attached */
    default void detachMulticast(Gid group) {
        throw VerbsException.unsupported("detach_mcast");
    }

    /**
     * Destroys the queue pair; waits until its asynchronous events are acknowledged. Outstanding work requests do not complete.
     *
     * @throws VerbsException EBUSY: it is attached to a multicast group
     */
    @Override
    void close();
}
