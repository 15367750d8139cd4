// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.softrdma.abi.rings.SiwSendRecord;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.VerbsException;

/**
 * The rings of libsiw, ABI version 1: arrays without a head, whose slots say themselves whose they are. Numbers of slots are powers of two,
 * as those of kernel siw.
 */
final class SiwRings implements RingFormat {
    @Override
    public QpCapabilities grant(QpCapabilities asked) {
        if (asked.maxSendSge() > SiwSendRecord.MAX_SGE || asked.maxRecvSge() > SiwSendRecord.MAX_SGE) {
            throw new VerbsException(Errno.EINVAL, "create_qp",
                Math.max(asked.maxSendSge(), asked.maxRecvSge()) + " elements; a record of libsiw has " + SiwSendRecord.MAX_SGE);
        }
        if (asked.maxInlineData() > SiwSendRecord.MAX_INLINE) {
            throw new VerbsException(Errno.EINVAL, "create_qp",
                asked.maxInlineData() + " bytes of inline data; a record of libsiw has " + SiwSendRecord.MAX_INLINE);
        }
        return new QpCapabilities(slots(asked.maxSendWr()), slots(asked.maxRecvWr()), SiwSendRecord.MAX_SGE, SiwSendRecord.MAX_SGE,
            SiwSendRecord.MAX_INLINE);
    }

    /** Returns the number of slots of a ring for so many records: the next power of two. */
    static int slots(int records) {
        return records <= 1 ? 1 : Integer.highestOneBit(records - 1) << 1;
    }

    @Override
    public RingCompletions completions(RingSpace space, int cqe, CompletionEvents events) {
        return new SiwCompletions(space, slots(cqe), events);
    }

    @Override
    public PostedSends sends(RingSpace space, QpCapabilities granted) {
        return new SiwSends(space, slots(granted.maxSendWr()));
    }

    @Override
    public Receives receives(RingSpace space, int maxWr, int maxSge) {
        SiwReceives receives = new SiwReceives(space, slots(maxWr), maxSge);
        return new Receives(receives.extent(), new ContainedReceives(receives));
    }
}
