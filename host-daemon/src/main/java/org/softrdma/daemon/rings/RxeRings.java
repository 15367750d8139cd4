// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.softrdma.abi.rings.RxeElement;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.SendRequest;

/** The rings of librxe, ABI version 2. */
final class RxeRings implements RingFormat {
    /**
     * Elements and inline data share the end of a record: what is asked for of one is granted of the other. Queues are granted all slots of
     * their rings, which the library fills. As kernel rxe.
     */
    @Override
    public QpCapabilities grant(QpCapabilities asked) {
        int bytes = Math.max(asked.maxSendSge() * RxeElement.BYTES, asked.maxInlineData());
        int elements = Math.min(bytes / RxeElement.BYTES, SendRequest.MAX_ELEMENTS);
        return new QpCapabilities(RxeRing.capacity(asked.maxSendWr()), asked.maxRecvWr() == 0 ? 0 : RxeRing.capacity(asked.maxRecvWr()),
            elements, asked.maxRecvSge(), bytes);
    }

    @Override
    public RingCompletions completions(RingSpace space, int cqe, CompletionEvents events) {
        return new RxeCompletions(space, cqe, events);
    }

    @Override
    public PostedSends sends(RingSpace space, QpCapabilities granted) {
        return new RxeSends(space, granted);
    }

    @Override
    public Receives receives(RingSpace space, int maxWr, int maxSge) {
        RxeReceives receives = new RxeReceives(space, maxWr, maxSge);
        return new Receives(receives.extent(), new ContainedReceives(receives));
    }
}
