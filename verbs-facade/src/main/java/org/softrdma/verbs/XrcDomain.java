// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * An XRC domain ({@code struct ibv_xrcd}): shared receive queues, and the targets through which peers reach them. A peer's
 * {@link QpType#XRC_SEND} queue pair is connected to one target and names a shared receive queue of the target's domain with every work
 * request ({@link SendRequest#toSrq}), so that one connection serves all queues.
 *
 * <p>Contexts that open the same name on the same device get the same domain; each closes its own. The scope of a name is the process:
 * unlike in C, where it is a file, processes do not share domains, because they do not share devices either.
 *
 * <p>A request that names no queue of the target's domain is refused as invalid: REM_INV_REQ_ERR at the peer, QP_REQ_ERR and the error
 * state at the target. Memory windows of type 1 work as with RC; those of type 2 are tied to the queue pair that bound them, and no target
 * can bind one, so XRC requests neither use nor invalidate them. Any thread. Source: IBA vol 1 annex A14.
 */
public interface XrcDomain extends AutoCloseable {
    /** Creates the domain unless it exists ({@code O_CREAT}). */
    int CREATE = 0x40;
    /** With CREATE: fails if it exists ({@code O_EXCL}). */
    int EXCLUSIVE = 0x80;

    /** {@return the context that opened it} */
    Context context();

    /**
     * Creates a shared receive queue that peers can name ({@code ibv_create_srq_ex} with {@code IBV_SRQT_XRC}). Queue pairs cannot be made
     * with it.
     *
     * @param pd of this context. Its messages are checked against it: the elements of its receives, and the keys of RDMA requests and
     *     atomics that name the queue
     * @param cq of this context: completion queue of its receives, for all targets; {@link WorkCompletion#qpNum} is the target's number
     * @param maxWr  receives it must hold, 1..{@link DeviceAttributes#maxSrqWr()}
     * @param maxSge elements of one receive, 0..{@link DeviceAttributes#maxSrqSge()}
     * @param limit  see {@link SharedReceiveQueue#modifyLimit}
     * @return the queue, to be closed
     * @throws VerbsException EINVAL: beyond these, or objects of another context; ENOMEM: the device has
     *     {@link DeviceAttributes#maxSrq()} already
     */
    SharedReceiveQueue createSrq(ProtectionDomain pd, CompletionQueue cq, int maxWr, int maxSge, int limit);

    /**
     * Creates a target ({@code ibv_create_qp_ex} with {@code IBV_QPT_XRC_RECV}): it belongs to the domain, not to a protection domain, and
     * nothing can be posted to it.
     *
     * @return the target in RESET, to be closed
     * @throws VerbsException ENOMEM: no free queue pair
     */
    QueuePair createTarget();

    /**
     * Opens a target of this domain that any context made ({@code ibv_open_qp}). It exists until everyone that created or opened it has
     * closed it; each receives its asynchronous events.
     *
     * @param qpNum number of the target, 24 bits
     * @return the target, to be closed
     * @throws VerbsException EINVAL: this domain has no target of that number
     */
    QueuePair openTarget(int qpNum);

    /**
     * Closes the domain.
     *
     * @throws VerbsException EBUSY while shared receive queues or targets exist that were created or opened here
     */
    @Override
    void close();
}
