// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * Receives shared by several queue pairs: each message takes the oldest. A queue pair that goes to ERR flushes only the receive that it had
 * already taken; the posted ones stay for the others. Any thread may call any method; posts are serialized.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /** {@return the protection domain of the elements of its receives; the queue pairs may have another one} */
    ProtectionDomain pd();

    /** {@return the number by which XRC peers address it, 24 bits, unique on the device ({@code ibv_get_srq_num})} */
    default int number() {
        throw VerbsException.unsupported("get_srq_num");
    }

    /** {@return the sizes and the armed limit} */
    SrqAttributes query();

    /**
     * Posts one receive. The memory of its elements belongs to the device until it completes on one of the queue pairs.
     *
     * @param request can be reused afterwards
     * @throws VerbsException EINVAL: too many elements, or the queue is closed; ENOMEM: the queue is full
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
     * Arms one SRQ_LIMIT_REACHED event: it is raised when a queue pair takes a receive and leaves fewer than the limit, and disarms the
     * queue. Arming a queue that holds less already raises nothing until the next receive is taken.
     *
     * @param limit receives; 0 disarms
     * @throws VerbsException EINVAL: negative, or more than the queue can hold
     */
    void modifyLimit(int limit);

    /**
     * Changes the capacity in receives; those posted stay.
     *
     * @param maxWr granted rounded up, see {@link #query}
     * @throws VerbsException EINVAL: beyond the device, fewer than are posted now, or fewer than the armed limit
     */
    void resize(int maxWr);

    /**
     * Destroys the queue; waits until its asynchronous events are acknowledged.
     *
     * @throws VerbsException EBUSY while queue pairs use it
     */
    @Override
    void close();
}
