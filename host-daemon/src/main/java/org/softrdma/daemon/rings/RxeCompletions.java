// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeCompletion;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** A completion queue of librxe. The program arms it with a system call. */
final class RxeCompletions extends RingCompletions {
    private static final int UNARMED = 0;
    private static final int SOLICITED = 1;
    private static final int ANY = 2;
    private static final int PORT = 1;

    private RxeRing ring;
    /** Index of the next completion; not masked. */
    private int next;
    private int armed = UNARMED;

    RxeCompletions(RingSpace space, int cqe, CompletionEvents events) {
        super(events);
        ring = RxeRing.create(space, cqe, RxeCompletion.SLOT_BYTES);
    }

    @Override
    public RingSpace.Extent extent() {
        return ring.extent();
    }

    @Override
    public int capacity() {
        return ring.capacity();
    }

    @Override
    public int size() {
        return ring.count(next, ring.consumer());
    }

    @Override
    public RingSpace.Extent resize(RingSpace space, int cqe) {
        int held = size();
        if (cqe < held) {
            throw new VerbsException(Errno.EINVAL, "resize_cq", "cqe " + cqe + " is less than the " + held + " completions it holds");
        }
        RxeRing old = ring;
        RxeRing larger = RxeRing.create(space, cqe, RxeCompletion.SLOT_BYTES);
        for (int i = 0; i < held; i++) {
            MemorySegment.copy(old.memory(), old.slot(next - held + i), larger.memory(), larger.slot(i), RxeCompletion.BYTES);
        }
        ring = larger;
        next = held;
        ring.producer(next);
        return old.extent();
    }

    @Override
    public void arm(boolean solicitedOnly) {
        armed = Math.max(armed, solicitedOnly ? SOLICITED : ANY);
    }

    @Override
    boolean takeArmed(boolean solicited) {
        boolean awaited = armed == ANY || armed == SOLICITED && solicited;
        if (awaited) {
            armed = UNARMED;
        }
        return awaited;
    }

    @Override
    boolean write(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int byteLength, int immediate, int qpNum, int sourceQp,
                  int flags) {
        if (size() == ring.capacity()) {
            return false;
        }
        MemorySegment memory = ring.memory();
        long at = ring.slot(next);
        RxeCompletion.wrId(memory, at, wrId);
        RxeCompletion.status(memory, at, status.value());
        RxeCompletion.opcode(memory, at, opcode.value());
        RxeCompletion.vendorErr(memory, at, vendorError);
        RxeCompletion.byteLen(memory, at, byteLength);
        if ((flags & WcFlags.WITH_INV) != 0) {
            RxeCompletion.invalidateRkey(memory, at, immediate);
        } else {
            RxeCompletion.immData(memory, at, immediate);
        }
        RxeCompletion.qpNum(memory, at, qpNum);
        RxeCompletion.srcQp(memory, at, sourceQp);
        RxeCompletion.wcFlags(memory, at, CompletionSink.wcFlags(flags));
        RxeCompletion.sl(memory, at, CompletionSink.serviceLevel(flags));
        RxeCompletion.portNum(memory, at, PORT);
        next++;
        ring.producer(next);
        return true;
    }
}
