// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/** Checks of a send work request before a driver has it: drivers follow its pointers, and call functions for it, unchecked. */
final class SendChecks {
    private static final int NUMBER_BITS = 24;

    private final NativeProtectionDomain pd;
    private final QpType type;
    private final QpCapabilities capabilities;

    /** @param pd null for an XRC target, which sends nothing */
    SendChecks(NativeProtectionDomain pd, QpType type, QpCapabilities capabilities) {
        this.pd = pd;
        this.type = type;
        this.capabilities = capabilities;
    }

    void check(SendRequest request) {
        if ((SendOps.of(type) & SendOps.of(request.opcode())) == 0) {
            throw wrong(request.opcode() + " is not an operation of " + type);
        }
        NativeQueuePair.checkElements("post_send", "max_send_sge", request.elements(), capabilities.maxSendSge());
        if (type == QpType.XRC_SEND && request.remoteSrqn() >>> NUMBER_BITS != 0) {
            throw wrong("remote_srqn 0x" + Integer.toHexString(request.remoteSrqn()) + " has more than 24 bits");
        }
        if (isInline(request)) {
            checkInline(request);
        }
    }

    static boolean isInline(SendRequest request) {
        return (request.flags() & SendFlags.INLINE) != 0;
    }

    private void checkInline(SendRequest request) {
        switch (request.opcode()) {
            case RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> throw wrong(request.opcode() + " carries no data: not INLINE");
            default -> {
                long bytes = bytes(request);
                if (bytes > capabilities.maxInlineData()) {
                    throw wrong(bytes + " bytes inline; max_inline_data is " + capabilities.maxInlineData());
                }
            }
        }
    }

    /** Length of all elements. */
    private static long bytes(SendRequest request) {
        long bytes = 0;
        for (int i = 0; i < request.elements(); i++) {
            bytes += Integer.toUnsignedLong(request.length(i));
        }
        return bytes;
    }

    /**
     * Copies the data of the elements: unregistered memory, or that of regions.
     *
     * @param to has room for max_inline_data
     * @return its length in bytes
     */
    int gather(SendRequest request, MemorySegment to, long at) {
        int copied = 0;
        for (int i = 0; i < request.elements(); i++) {
            MemorySegment data = request.inlineData(i);
            int bytes = request.length(i);
            if (data != null) {
                MemorySegment.copy(data, request.address(i), to, at + copied, bytes);
            } else if (bytes != 0) {
                NativeMemoryRegion region = pd.region(request.lkey(i));
                if (region == null || !region.copyOut(request.address(i), bytes, to, at + copied)) {
                    throw wrong("inline element " + i + " is not registered memory (address 0x" + Long.toHexString(request.address(i))
                        + ", lkey 0x" + Integer.toHexString(request.lkey(i)) + "); see SendRequest.inlineData");
                }
            }
            copied += bytes;
        }
        return copied;
    }

    /** Copies the eight bytes of an ATOMIC WRITE. */
    void gatherWord(SendRequest request, MemorySegment to, long at) {
        long bytes = bytes(request);
        if (bytes != Long.BYTES) {
            throw wrong("ATOMIC_WRITE of " + bytes + " bytes; it has 8");
        }
        gather(request, to, at);
    }

    /** Returns the destination of a datagram, whose numbers are right as well. */
    NativeAddressHandle destination(SendRequest request) {
        if (request.addressHandle() == null) {
            throw wrong("a datagram needs a destination: SendRequest.to");
        }
        if (!pd.sharesKeysWith(request.addressHandle().pd())) {
            throw wrong("the address handle belongs to another protection domain");
        }
        if (request.remoteQpn() >>> NUMBER_BITS != 0) {
            throw wrong("remote_qpn 0x" + Integer.toHexString(request.remoteQpn()) + " has more than 24 bits");
        }
        return NativeObject.own(NativeAddressHandle.class, request.addressHandle(), pd.nativeContext(), "post_send", "the address handle");
    }

    /** Returns the window of a BIND_MW. The request has the keys of region and window; the library wants the objects. */
    NativeMemoryWindow window(SendRequest request) {
        NativeMemoryWindow window = pd.window(request.rkey());
        if (window == null) {
            throw wrong(request + ": no window of this protection domain has that key");
        }
        if (window.type() != MemoryWindow.Type.TYPE_2) {
            throw wrong("a window of type 1 is bound with QueuePair.bind()");
        }
        return window;
    }

    /** Returns the region of a BIND_MW. */
    NativeMemoryRegion region(SendRequest request) {
        NativeMemoryRegion region = pd.region(request.lkey(0));
        if (region == null) {
            throw wrong(request + ": no region of this protection domain has that key");
        }
        return region;
    }

    private static VerbsException wrong(String why) {
        return new VerbsException(Errno.EINVAL, "post_send", why);
    }
}
