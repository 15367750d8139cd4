// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * Receives shared by several queue pairs: whichever gets a message takes the oldest. A queue pair that goes to ERR flushes only the receive
 * it had already taken; what is posted here stays for the others. Any thread may call any method; posts are serialized.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /** The protection domain that the elements of its receives must belong to; the queue pairs may have another one. */
    ProtectionDomain pd();

    /** What an XRC peer names it by, 24 bits ({@code ibv_get_srq_num}). No two of a device have the same. */
    default int number() {
        throw VerbsException.unsupported("get_srq_num");
    }

    /** What it holds and whether it is armed, now. */
    SrqAttributes query();

    /**
     * Posts one receive. What its elements name belongs to the device until completion, on whatever queue pair.
     *
     * @throws VerbsException EINVAL: too many elements, or the queue is closed; ENOMEM: it is full
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
     * Arms one SRQ_LIMIT_REACHED event: it is raised when a queue pair takes a receive and leaves fewer than {@code limit}, and disarms
     * the queue. 0 disarms. Arming a queue that holds less already raises nothing until the next receive is taken.
     *
     * @throws VerbsException EINVAL: negative, or more than the queue can hold
     */
    void modifyLimit(int limit);

    /**
     * Changes how many receives it holds; those posted stay.
     *
     * @param maxWr granted rounded up, see {@link #query}
     * @throws VerbsException EINVAL: beyond the device, fewer than are posted now, or fewer than the armed limit
     */
    void resize(int maxWr);

    /** @throws VerbsException EBUSY while queue pairs use it. Waits until its asynchronous events are acknowledged */
    @Override
    void close();
}
