// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.SiwFlags;
import org.softrdma.abi.rings.SiwOpcode;
import org.softrdma.abi.rings.SiwSendRecord;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;

/**
 * A send queue of libsiw. A slot is free when its request was accepted, as in kernel siw: the library rings its bell only if it finds the
 * slot before its own free, so that an accepted request must not keep it.
 */
final class SiwSends implements PostedSends {
    private final RingSpace.Extent extent;
    private final MemorySegment memory;
    private final int slots;
    private final MemorySegment copy = Arena.ofAuto().allocate(SiwSendRecord.BYTES, Long.BYTES);
    /** Sequence number of the oldest request that was not accepted. */
    private long next;

    SiwSends(RingSpace space, int slots) {
        this.slots = slots;
        extent = space.allocate((long) slots * SiwSendRecord.BYTES);
        memory = extent.memory();
    }

    @Override
    public RingSpace.Extent extent() {
        return extent;
    }

    private long slot() {
        return (next & slots - 1) * SiwSendRecord.BYTES;
    }

    @Override
    public boolean hasNext() {
        return (SiwSendRecord.flags(memory, slot()) & SiwFlags.VALID) != 0;
    }

    @Override
    public boolean read(SendRequest into, ObjectTable objects) {
        MemorySegment.copy(memory, slot(), copy, 0, SiwSendRecord.BYTES);
        int flags = SiwSendRecord.flags(copy, 0);
        long remote = SiwSendRecord.raddr(copy, 0);
        int rkey = SiwSendRecord.rkey(copy, 0);
        boolean ok = true;
        switch (SiwSendRecord.opcode(copy, 0)) {
            case SiwOpcode.WRITE -> into.write(remote, rkey);
            case SiwOpcode.READ -> into.read(remote, rkey);
            case SiwOpcode.SEND -> into.send();
            case SiwOpcode.SEND_REMOTE_INV -> into.sendWithInvalidate(rkey);
            default -> {
                into.send();
                ok = false;
            }
        }
        ok = ok && ((flags & SiwFlags.INLINE) != 0 ? readInline(into) : readElements(into));
        into.wrId(SiwSendRecord.id(copy, 0)).flags(into.flags() | sendFlags(flags));
        return ok;
    }

    private boolean readInline(SendRequest into) {
        int bytes = RxeElement.length(copy, SiwSendRecord.SGE_OFFSET);
        if (bytes < 0 || bytes > SiwSendRecord.MAX_INLINE) {
            return false;
        }
        into.inlineData(copy, SiwSendRecord.INLINE_DATA_OFFSET, bytes);
        return true;
    }

    private boolean readElements(SendRequest into) {
        int elements = SiwSendRecord.numSge(copy, 0);
        if (elements > SiwSendRecord.MAX_SGE) {
            return false;
        }
        for (int i = 0; i < elements; i++) {
            long at = SiwSendRecord.SGE_OFFSET + (long) i * RxeElement.BYTES;
            into.element(RxeElement.addr(copy, at), RxeElement.length(copy, at), RxeElement.lkey(copy, at));
        }
        return true;
    }

    private static int sendFlags(int flags) {
        return ((flags & SiwFlags.SIGNALLED) != 0 ? SendFlags.SIGNALED : 0)
            | ((flags & SiwFlags.SOLICITED) != 0 ? SendFlags.SOLICITED : 0)
            | ((flags & SiwFlags.READ_FENCE) != 0 ? SendFlags.FENCE : 0);
    }

    @Override
    public void accept() {
        long slot = slot();
        next++;
        SiwSendRecord.flags(memory, slot, 0);
    }

    /** Has no effect: slots are free since their requests were accepted. */
    @Override
    public void release(long completed) {
    }

    @Override
    public void discard() {
        for (int i = 0; i < slots && hasNext(); i++) {
            accept();
        }
    }
}
