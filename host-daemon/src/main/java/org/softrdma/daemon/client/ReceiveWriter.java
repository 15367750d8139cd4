// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.RxeReceiveRecord;
import org.softrdma.daemon.rings.RingView;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.VerbsException;

/** The posting side of a receive queue, shared or not. Callers take turns. */
final class ReceiveWriter {
    private final RingView ring;
    private final Queue queue;
    private final int depth;
    private final int maxElements;

    /** Kinds of queues, with what messages call their parts. */
    enum Queue {
        OWN("post_recv", "max_recv_sge", "the receive queue holds %d requests"),
        SHARED("post_srq_recv", "max_sge", "the queue is full with %d receives");

        private final String verb;
        private final String limit;
        private final String full;

        Queue(String verb, String limit, String full) {
            this.verb = verb;
            this.limit = limit;
            this.full = full;
        }
    }

    /**
     * @param queue       kind of queue, for messages
     * @param depth       receives that the queue takes; its ring may have room for more
     * @param maxElements of one receive
     */
    ReceiveWriter(RingView ring, Queue queue, int depth, int maxElements) {
        this.ring = ring;
        this.queue = queue;
        this.depth = Math.min(depth, ring.capacity());
        this.maxElements = maxElements;
    }

    /**
     * Posts a receive; the device sees it when a message comes.
     *
     * @param label text before messages
     * @throws VerbsException EINVAL: too many elements; ENOMEM: the queue is full
     */
    void post(String label, ReceiveRequest request) {
        int elements = request.elements();
        if (elements > maxElements) {
            throw new VerbsException(Errno.EINVAL, queue.verb, label + elements + " elements, " + queue.limit + " is " + maxElements);
        }
        int next = ring.producer();
        if (ring.count(next, ring.consumer()) >= depth) {
            throw new VerbsException(Errno.ENOMEM, queue.verb, label + queue.full.formatted(depth));
        }
        MemorySegment m = ring.memory();
        long at = ring.slot(next);
        RxeReceiveRecord.wrId(m, at, request.wrId());
        RxeReceiveRecord.numSge(m, at, elements);
        int bytes = 0;
        for (int i = 0; i < elements; i++) {
            long element = at + RxeReceiveRecord.SGE_OFFSET + (long) i * RxeElement.BYTES;
            RxeElement.addr(m, element, request.address(i));
            RxeElement.length(m, element, request.length(i));
            RxeElement.lkey(m, element, request.lkey(i));
            bytes += request.length(i);
        }
        RxeReceiveRecord.length(m, at, bytes);
        ring.producer(next + 1);
    }
}
