// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeAtomicRequest;
import org.softrdma.abi.rings.RxeDatagramRequest;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.RxeFlushRequest;
import org.softrdma.abi.rings.RxeRdmaRequest;
import org.softrdma.abi.rings.RxeSendRecord;
import org.softrdma.abi.rings.RxeWindowRequest;
import org.softrdma.daemon.rings.RingView;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;

/** The posting side of a send queue: checks requests, and writes them into the ring as librxe does. Callers take turns. */
final class SendWriter {
    private static final int NUMBER_BITS = 24;

    private final JoinedDomain pd;
    private final QpType type;
    private final QpCapabilities capabilities;
    private final RingView ring;
    private final String label;
    /** Index of the next record; not masked. Published ones are before {@link RingView#producer}. */
    private int next;
    /** Records that are written and not published. */
    private int staged;

    /** @param label text before messages */
    SendWriter(JoinedDomain pd, QpType type, QpCapabilities capabilities, RingView ring, String label) {
        this.pd = pd;
        this.type = type;
        this.capabilities = capabilities;
        this.ring = ring;
        this.label = label;
    }

    /**
     * Writes the next record without publishing it.
     *
     * @throws VerbsException EINVAL, ENOMEM: it cannot be posted; nothing has changed
     */
    void stage(SendRequest request) {
        check(request);
        if (request.opcode() == WrOpcode.BIND_MW) {
            JoinedWindow window = pd.window(request.rkey());
            if (window != null && window.type() == MemoryWindow.Type.TYPE_1) {
                throw wrong("rkey 0x" + Integer.toHexString(request.rkey()) + " belongs to a type 1 window; bind it with bind()");
            }
        }
        write("post_send", request);
    }

    /** Writes a record that binds a window of type 1. */
    void stageBind(SendRequest request) {
        write("bind_mw", request);
    }

    private void write(String verb, SendRequest request) {
        next = ring.producer() + staged;
        if (ring.count(next, ring.consumer()) >= ring.capacity() || staged >= ring.capacity()) {
            throw new VerbsException(Errno.ENOMEM, verb,
                label + "the send queue holds " + ring.capacity() + " requests; poll completions of signaled ones first");
        }
        MemorySegment m = ring.memory();
        long at = ring.slot(next);
        RxeSendRecord.wrId(m, at, request.wrId());
        RxeSendRecord.opcode(m, at, request.opcode().value());
        RxeSendRecord.sendFlags(m, at, request.flags());
        setOperation(m, at, request);
        setData(m, at, request);
        staged++;
    }

    /** Publishes what was staged, for the device to see. */
    void publish() {
        ring.producer(ring.producer() + staged);
        staged = 0;
    }

    /** Drops what was staged. */
    void discard() {
        staged = 0;
    }

    private void check(SendRequest request) {
        if ((SendOps.of(type) & SendOps.of(request.opcode())) == 0) {
            throw wrong(request.opcode() + " is not an operation of " + type);
        }
        if (request.elements() > capabilities.maxSendSge()) {
            throw wrong(request.elements() + " elements, max_send_sge is " + capabilities.maxSendSge());
        }
        if (type == QpType.UD) {
            checkDestination(request);
        }
        if ((request.flags() & SendFlags.INLINE) != 0) {
            checkInline(request);
        }
    }

    private void checkDestination(SendRequest request) {
        if (request.addressHandle() == null) {
            throw wrong("a datagram needs a destination: SendRequest.to(handle, qpn, qkey)");
        }
        if (!(request.addressHandle() instanceof JoinedAddressHandle handle) || !pd.sharesKeysWith(handle.pd())) {
            throw wrong("the address handle belongs to another protection domain");
        }
        if (handle.isClosed()) {
            throw wrong("the address handle is closed");
        }
        if (request.remoteQpn() >>> NUMBER_BITS != 0) {
            throw wrong("remote_qpn 0x" + Integer.toHexString(request.remoteQpn()) + " has more than 24 bits");
        }
    }

    private void checkInline(SendRequest request) {
        switch (request.opcode()) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE -> {
                long bytes = bytes(request);
                if (bytes > capabilities.maxInlineData()) {
                    throw wrong(bytes + " bytes inline, max_inline_data is " + capabilities.maxInlineData());
                }
            }
            default -> throw wrong("INLINE with " + request.opcode() + ": only sends and writes carry data");
        }
    }

    private static long bytes(SendRequest request) {
        long bytes = 0;
        for (int i = 0; i < request.elements(); i++) {
            bytes += Integer.toUnsignedLong(request.length(i));
        }
        return bytes;
    }

    private void setOperation(MemorySegment m, long at, SendRequest request) {
        switch (request.opcode()) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV -> setDestination(m, at, request);
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ, ATOMIC_WRITE -> {
                RxeRdmaRequest.remoteAddr(m, at, request.remoteAddress());
                RxeRdmaRequest.rkey(m, at, request.rkey());
            }
            case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
                RxeAtomicRequest.remoteAddr(m, at, request.remoteAddress());
                RxeAtomicRequest.compareAdd(m, at, request.compareAdd());
                RxeAtomicRequest.swap(m, at, request.swap());
                RxeAtomicRequest.rkey(m, at, request.rkey());
            }
            case FLUSH -> {
                RxeFlushRequest.remoteAddr(m, at, request.remoteAddress());
                RxeFlushRequest.length(m, at, (int) request.flushLength());
                RxeFlushRequest.rkey(m, at, request.rkey());
                RxeFlushRequest.type(m, at, request.flushPlacement());
                RxeFlushRequest.level(m, at, request.flushSelectivity());
            }
            case BIND_MW -> {
                RxeWindowRequest.addr(m, at, request.address(0));
                RxeWindowRequest.length(m, at, request.bindLength());
                RxeWindowRequest.mrLkey(m, at, request.lkey(0));
                RxeWindowRequest.mwRkey(m, at, request.rkey());
                RxeWindowRequest.rkey(m, at, request.rkey());
                RxeWindowRequest.access(m, at, request.bindAccess());
            }
            case LOCAL_INV -> { }
        }
        switch (request.opcode()) {
            case SEND_WITH_INV, LOCAL_INV -> RxeSendRecord.invalidateRkey(m, at, request.invalidateRkey());
            default -> RxeSendRecord.immData(m, at, request.immediate());
        }
    }

    private void setDestination(MemorySegment m, long at, SendRequest request) {
        if (type == QpType.UD) {
            RxeDatagramRequest.ahNum(m, at, ((JoinedAddressHandle) request.addressHandle()).number());
            RxeDatagramRequest.remoteQpn(m, at, request.remoteQpn());
            RxeDatagramRequest.remoteQkey(m, at, request.remoteQkey());
        }
    }

    private void setData(MemorySegment m, long at, SendRequest request) {
        boolean isBind = request.opcode() == WrOpcode.BIND_MW;
        boolean inline = (request.flags() & SendFlags.INLINE) != 0 || request.opcode() == WrOpcode.ATOMIC_WRITE;
        RxeSendRecord.numSge(m, at, isBind || inline ? 0 : request.elements());
        if (isBind) {
            RxeSendRecord.length(m, at, 0);
            return;
        }
        if (inline) {
            gather(m, at + RxeSendRecord.SGE_OFFSET, request);
        } else {
            setElements(m, at + RxeSendRecord.SGE_OFFSET, request);
        }
        RxeSendRecord.length(m, at, (int) bytes(request));
    }

    private static void setElements(MemorySegment m, long at, SendRequest request) {
        for (int i = 0; i < request.elements(); i++) {
            long element = at + (long) i * RxeElement.BYTES;
            RxeElement.addr(m, element, request.address(i));
            RxeElement.length(m, element, request.length(i));
            RxeElement.lkey(m, element, request.lkey(i));
        }
    }

    /** Copies the data of the elements: unregistered memory, or that of regions. The eight bytes of an ATOMIC WRITE always travel so. */
    private void gather(MemorySegment m, long at, SendRequest request) {
        long bytes = bytes(request);
        if (request.opcode() == WrOpcode.ATOMIC_WRITE && bytes != Long.BYTES) {
            throw wrong("ATOMIC_WRITE of " + bytes + " bytes; it has 8");
        }
        long to = at;
        for (int i = 0; i < request.elements(); i++) {
            MemorySegment data = request.inlineData(i);
            int length = request.length(i);
            if (data != null) {
                MemorySegment.copy(data, request.address(i), m, to, length);
            } else if (length != 0) {
                JoinedRegion region = pd.region(request.lkey(i));
                if (region == null || !region.copyOut(request.address(i), length, m, to)) {
                    throw wrong("inline element " + i + " names no registered memory (address 0x" + Long.toHexString(request.address(i))
                        + ", lkey 0x" + Integer.toHexString(request.lkey(i))
                        + "); use inlineData(MemorySegment) for memory that is not registered");
                }
            }
            to += length;
        }
    }

    private VerbsException wrong(String why) {
        return new VerbsException(Errno.EINVAL, "post_send", label + why);
    }
}
