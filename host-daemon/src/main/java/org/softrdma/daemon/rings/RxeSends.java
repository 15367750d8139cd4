// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeAtomicRequest;
import org.softrdma.abi.rings.RxeDatagramRequest;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.RxeFlushRequest;
import org.softrdma.abi.rings.RxeRdmaRequest;
import org.softrdma.abi.rings.RxeSendRecord;
import org.softrdma.abi.rings.RxeWindowRequest;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WrOpcode;

/** A send queue of librxe. A slot is free when its request has completed, as in kernel rxe. */
final class RxeSends implements PostedSends {
    private static final int KNOWN_FLAGS = SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED;
    private static final int ATOMIC_WRITE_BYTES = 8;

    private final RxeRing ring;
    private final int maxElements;
    private final int maxInline;
    private final MemorySegment copy;
    /** Index of the oldest request that was not accepted; not masked. */
    private int next;
    /** Index of the first request accepted since the last {@link #discard}; not masked. */
    private int first;

    RxeSends(RingSpace space, QpCapabilities granted) {
        maxElements = granted.maxSendSge();
        maxInline = granted.maxInlineData();
        int recordBytes = RxeSendRecord.BYTES + Math.max(maxElements * RxeElement.BYTES, maxInline);
        ring = RxeRing.create(space, granted.maxSendWr(), recordBytes);
        copy = Arena.ofAuto().allocate(recordBytes, Long.BYTES);
    }

    @Override
    public RingSpace.Extent extent() {
        return ring.extent();
    }

    @Override
    public boolean hasNext() {
        return ring.count(ring.producer(), next) != 0;
    }

    @Override
    public boolean read(SendRequest into, ObjectTable objects) {
        long slot = ring.slot(next);
        MemorySegment.copy(ring.memory(), slot, copy, 0, RxeSendRecord.BYTES);
        WrOpcode opcode = WrOpcode.of(RxeSendRecord.opcode(copy, 0));
        boolean ok = opcode != null && translate(into, opcode, slot);
        if (ok) {
            setDestination(into, objects);
        }
        into.wrId(RxeSendRecord.wrId(copy, 0)).flags(into.flags() | RxeSendRecord.sendFlags(copy, 0) & KNOWN_FLAGS);
        return ok;
    }

    private boolean translate(SendRequest into, WrOpcode opcode, long slot) {
        switch (opcode) {
            case SEND -> into.send();
            case SEND_WITH_IMM -> into.sendWithImmediate(RxeSendRecord.immData(copy, 0));
            case SEND_WITH_INV -> into.sendWithInvalidate(RxeSendRecord.invalidateRkey(copy, 0));
            case RDMA_WRITE -> into.write(RxeRdmaRequest.remoteAddr(copy, 0), RxeRdmaRequest.rkey(copy, 0));
            case RDMA_WRITE_WITH_IMM -> into.writeWithImmediate(RxeRdmaRequest.remoteAddr(copy, 0), RxeRdmaRequest.rkey(copy, 0),
                RxeSendRecord.immData(copy, 0));
            case RDMA_READ -> into.read(RxeRdmaRequest.remoteAddr(copy, 0), RxeRdmaRequest.rkey(copy, 0));
            case ATOMIC_CMP_AND_SWP -> into.compareAndSwap(RxeAtomicRequest.remoteAddr(copy, 0), RxeAtomicRequest.rkey(copy, 0),
                RxeAtomicRequest.compareAdd(copy, 0), RxeAtomicRequest.swap(copy, 0));
            case ATOMIC_FETCH_AND_ADD -> into.fetchAndAdd(RxeAtomicRequest.remoteAddr(copy, 0), RxeAtomicRequest.rkey(copy, 0),
                RxeAtomicRequest.compareAdd(copy, 0));
            case ATOMIC_WRITE -> {
                into.atomicWrite(RxeRdmaRequest.remoteAddr(copy, 0), RxeRdmaRequest.rkey(copy, 0));
                return readInline(into, slot, ATOMIC_WRITE_BYTES);
            }
            case FLUSH -> into.flush(RxeFlushRequest.remoteAddr(copy, 0), RxeFlushRequest.rkey(copy, 0), RxeFlushRequest.length(copy, 0),
                RxeFlushRequest.type(copy, 0), RxeFlushRequest.level(copy, 0));
            case LOCAL_INV -> into.localInvalidate(RxeSendRecord.invalidateRkey(copy, 0));
            case BIND_MW -> into.bindWindow(RxeWindowRequest.rkey(copy, 0), RxeWindowRequest.mrLkey(copy, 0),
                RxeWindowRequest.addr(copy, 0), RxeWindowRequest.length(copy, 0), RxeWindowRequest.access(copy, 0));
        }
        if (opcode == WrOpcode.FLUSH || opcode == WrOpcode.LOCAL_INV || opcode == WrOpcode.BIND_MW) {
            return true;
        }
        return isInline() ? readInline(into, slot, RxeSendRecord.length(copy, 0)) : readElements(into, slot);
    }

    /**
     * Whether the payload is in the record. {@code ibv_wr_set_inline_data} of librxe copies it there without setting the flag; only then
     * does a record have a length and no elements. Kernel rxe fails such a request; the manual page promises the effect of the flag.
     */
    private boolean isInline() {
        return (RxeSendRecord.sendFlags(copy, 0) & SendFlags.INLINE) != 0
            || RxeSendRecord.numSge(copy, 0) == 0 && RxeSendRecord.length(copy, 0) != 0;
    }

    private boolean readInline(SendRequest into, long slot, int bytes) {
        if (bytes < 0 || bytes > maxInline) {
            return false;
        }
        MemorySegment.copy(ring.memory(), slot + RxeSendRecord.SGE_OFFSET, copy, RxeSendRecord.SGE_OFFSET, bytes);
        into.inlineData(copy, RxeSendRecord.SGE_OFFSET, bytes);
        return true;
    }

    /** Takes the lengths of the elements, not that of the record, which librxe 44 computes wrongly for lists of elements. */
    private boolean readElements(SendRequest into, long slot) {
        int elements = RxeSendRecord.numSge(copy, 0);
        if (elements < 0 || elements > maxElements) {
            return false;
        }
        long bytes = (long) elements * RxeElement.BYTES;
        MemorySegment.copy(ring.memory(), slot + RxeSendRecord.SGE_OFFSET, copy, RxeSendRecord.SGE_OFFSET, bytes);
        for (int i = 0; i < elements; i++) {
            long at = RxeSendRecord.SGE_OFFSET + (long) i * RxeElement.BYTES;
            into.element(RxeElement.addr(copy, at), RxeElement.length(copy, at), RxeElement.lkey(copy, at));
        }
        return true;
    }

    /** The fields of a datagram's destination mean nothing in requests of other services, whose queue pairs ignore them. */
    private void setDestination(SendRequest into, ObjectTable objects) {
        if (into.opcode() != WrOpcode.SEND && into.opcode() != WrOpcode.SEND_WITH_IMM) {
            return;
        }
        AddressHandle handle = objects.addressHandle(RxeDatagramRequest.ahNum(copy, 0));
        if (handle != null) {
            into.to(handle, RxeDatagramRequest.remoteQpn(copy, 0), RxeDatagramRequest.remoteQkey(copy, 0));
        }
    }

    @Override
    public void accept() {
        next++;
    }

    @Override
    public void release(long completed) {
        ring.consumer(first + (int) completed);
    }

    @Override
    public void discard() {
        next = ring.producer();
        first = next;
        ring.consumer(next);
    }
}
