// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.findings;

/** Rules of programs that adapters depend on, and that a soft device forgives unless it is strict. */
public enum StrictRule {
    /** A slot of the send queue is given back by a polled completion: one request in each queue full must be signaled. */
    SEND_SLOTS,
    /** The memory of a send belongs to the device from the post call to the completion. */
    BUFFER_CHANGED,
    /** A completion queue has room for all completions that can be outstanding. */
    COMPLETION_QUEUE_SIZE,
    /** A request carries at most as many inline bytes as were asked for with the queue pair. */
    INLINE_LIMIT,
    /** The eight bytes of an atomic operation are aligned, at the peer and at this end. */
    ATOMIC_ALIGNMENT,
    /** A receive is posted before the message that takes it arrives. */
    RECEIVE_TOO_LATE,
    /** The receive of a datagram begins with 40 bytes for the global route header. */
    ROOM_FOR_GRH,
    /** The elements of a request lie in registered memory with the rights that the operation needs. */
    LOCAL_MEMORY,
    /** Registered memory is used. */
    MEMORY_UNUSED,
    /** Memory stays registered while a request that names it is outstanding. */
    MEMORY_IN_USE,
    /** A peer is given the rkey of a region, not its lkey; on some adapters they differ. */
    LKEY_GIVEN_AWAY,
    /** A thread that waits for an event has armed the completion queue, and polled it after that. */
    LOST_WAKEUP,
    /** Events are acknowledged before the object that they are about is destroyed, which waits for that. */
    UNACKNOWLEDGED_EVENT
}
