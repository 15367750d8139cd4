// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.lang.foreign.MemorySegment;

/** A protection domain: keys, queue pairs and address handles work together only within one. Any thread. */
public interface ProtectionDomain extends AutoCloseable {
    /** {@return the context that it was allocated from} */
    Context context();

    /**
     * Registers native memory. Remote addresses are its real addresses, or start at 0 with {@link AccessFlags#ZERO_BASED}.
     *
     * @param memory native and accessible from every thread (an arena that is shared, automatic or global); it must stay alive until the
     *     region is closed. If it is freed earlier, accesses fail with protection errors
     * @param access bits of {@link AccessFlags}
     * @return the region, to be closed
     * @throws VerbsException EINVAL: heap memory, memory confined to a thread, memory whose arena is closed, REMOTE_WRITE or REMOTE_ATOMIC
     *     without LOCAL_WRITE, unknown flags; ENOMEM: no free key
     */
    MemoryRegion register(MemorySegment memory, int access);

    /**
     * Registers memory like {@link #register(MemorySegment, int)}, with addresses of the caller's choice ({@code reg_mr_iova}).
     *
     * @param memory as there
     * @param iova   address of the first byte, u64
     * @param access bits of {@link AccessFlags}
     * @return the region, to be closed
     */
    MemoryRegion register(MemorySegment memory, long iova, int access);

    /**
     * Creates a queue pair.
     *
     * @param attributes service, queues and sizes
     * @return the queue pair in RESET, to be closed
     * @throws VerbsException EINVAL: beyond the device's limits, or objects of another context; ENOMEM; EOPNOTSUPP: no such service
     */
    QueuePair createQp(QpInitAttributes attributes);

    /**
     * Prepares a destination of datagrams: one peer, or a multicast group.
     *
     * @param vector path to it
     * @return the handle, to be closed
     * @throws VerbsException EINVAL: no such source GID or port, no dgid, source and dgid of different kinds; EHOSTUNREACH, ENETUNREACH:
     *     no route; ENOMEM: {@link DeviceAttributes#maxAh()} exist already
     */
    default AddressHandle createAh(AddressVector vector) {
        throw VerbsException.unsupported("create_ah");
    }

    /**
     * Prepares the destination of a reply to a received datagram: {@link #createAh} of {@link AddressVector#ofReceived}.
     *
     * @param completion of the receive
     * @param grh        the first 40 bytes of the receive
     * @param port       at which it was received, from 1
     * @return the handle, to be closed
     */
    default AddressHandle createAhFromWc(WorkCompletion completion, MemorySegment grh, int port) {
        return createAh(AddressVector.ofReceived(context(), port, completion, grh));
    }

    /**
     * Creates a shared receive queue.
     *
     * @param maxWr  receives it must hold, 1..{@link DeviceAttributes#maxSrqWr()}
     * @param maxSge elements of one receive, 0..{@link DeviceAttributes#maxSrqSge()}
     * @param limit  see {@link SharedReceiveQueue#modifyLimit}
     * @return the queue, to be closed
     * @throws VerbsException EINVAL: beyond these; ENOMEM: the device has {@link DeviceAttributes#maxSrq()} already
     */
    default SharedReceiveQueue createSrq(int maxWr, int maxSge, int limit) {
        throw VerbsException.unsupported("create_srq");
    }

    /**
     * Allocates an unbound memory window.
     *
     * @param type decides how it is bound
     * @return the window, to be closed
     * @throws VerbsException ENOMEM: no free key
     */
    default MemoryWindow allocateMw(MemoryWindow.Type type) {
        throw VerbsException.unsupported("alloc_mw");
    }

    /**
     * Deallocates the protection domain.
     *
     * @throws VerbsException EBUSY while regions, queue pairs, windows, shared receive queues or handles of it exist
     */
    @Override
    void close();
}
