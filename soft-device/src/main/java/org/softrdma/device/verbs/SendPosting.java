// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.BadWorkRequestException;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;

/**
 * The posting side of a send queue: checks requests and writes them into the ring, one by one or in batches. Thread-safe: posters take
 * turns, and a batch excludes all other posters from its start to its end.
 */
final class SendPosting {
    private final SoftQueuePair qp;
    private final SendRing sends;
    /** Null for an XRC target, which sends nothing. */
    private final SoftProtectionDomain pd;
    private final MemoryTable memory;
    private final ReentrantLock lock = new ReentrantLock();
    /** True while the holder of {@link #lock} is in a batch. */
    private boolean inBatch;

    SendPosting(SoftQueuePair qp, SendRing sends, SoftProtectionDomain pd, MemoryTable memory) {
        this.qp = qp;
        this.sends = sends;
        this.pd = pd;
        this.memory = memory;
    }

    /** Posts one request. */
    void post(SendRequest request) {
        check(request);
        post("post_send", request);
    }

    /**
     * Posts requests in order until one is refused, and rings once.
     *
     * @throws BadWorkRequestException naming the request that was refused; those before it are posted
     */
    void post(List<SendRequest> requests) {
        BadWorkRequestException bad = null;
        boolean wasIdle;
        lock.lock();
        try {
            requireNoBatch("post_send");
            wasIdle = sends.isEmpty();
            for (int i = 0; i < requests.size() && bad == null; i++) {
                try {
                    stage(requests.get(i));
                } catch (VerbsException refused) {
                    bad = new BadWorkRequestException(refused, i);
                }
            }
            sends.publishStaged();
        } finally {
            lock.unlock();
        }
        qp.doorbell(wasIdle);
        if (bad != null) {
            throw bad;
        }
    }

    /** Checks everything about a request that does not depend on the requests posted before. */
    private void check(SendRequest request) {
        requireSending("post_send");
        if (!qp.supports(request)) {
            throw refuse("post_send", Errno.EINVAL, request.opcode() + " is not an operation of " + qp.type() + " on this device");
        }
        if (qp.type() == QpType.XRC_SEND && request.remoteSrqn() >>> 24 != 0) {
            throw refuse("post_send", Errno.EINVAL,
                "remote_srqn 0x" + Integer.toHexString(request.remoteSrqn()) + " has more than 24 bits");
        }
        if (request.opcode() == WrOpcode.BIND_MW && memory.isTypeOne(request.rkey())) {
            throw refuse("post_send", Errno.EINVAL,
                "rkey 0x" + Integer.toHexString(request.rkey()) + " belongs to a type 1 window; bind it with bind()");
        }
    }

    private void requireSending(String verb) {
        QpState now = qp.current();
        if (now.compareTo(QpState.RTS) < 0) {
            throw refuse(verb, Errno.EINVAL, "a queue pair in " + now + " takes no sends; bring it to RTS first");
        }
    }

    private void post(String verb, SendRequest request) {
        boolean wasIdle;
        lock.lock();
        try {
            requireNoBatch(verb);
            wasIdle = sends.isEmpty();
            write(verb, request);
            sends.publish();
        } finally {
            lock.unlock();
        }
        qp.doorbell(wasIdle);
    }

    /** Writes the next record, with {@link #lock} held. */
    private void write(String verb, SendRequest request) {
        if (request.elements() > sends.maxElements()) {
            throw refuse(verb, Errno.EINVAL, request.elements() + " elements, max_send_sge is " + sends.maxElements());
        }
        SoftAddressHandle to = qp.type() == QpType.UD ? checkDestination(request) : null;
        if (sends.isFull()) {
            throw refuse(verb, Errno.ENOMEM,
                "the send queue holds " + sends.slots() + " requests; poll completions of signaled ones first");
        }
        sends.write(request);
        if (to != null) {
            sends.setDestination(to.destination(), request.remoteQpn(), request.remoteQkey());
        }
        if ((request.flags() & SendFlags.INLINE) != 0) {
            copyInline(request);
        }
    }

    private SoftAddressHandle checkDestination(SendRequest request) {
        if (request.addressHandle() == null) {
            throw refuse("post_send", Errno.EINVAL, "a datagram needs a destination: SendRequest.to(handle, qpn, qkey)");
        }
        if (!(request.addressHandle() instanceof SoftAddressHandle handle) || !pd.sharesKeysWith(handle.pd())) {
            throw refuse("post_send", Errno.EINVAL, "the address handle belongs to another protection domain");
        }
        if (handle.isClosed()) {
            throw refuse("post_send", Errno.EINVAL, "the address handle is closed");
        }
        if (request.remoteQpn() >>> 24 != 0) {
            throw refuse("post_send", Errno.EINVAL, "remote_qpn 0x" + Integer.toHexString(request.remoteQpn()) + " has more than 24 bits");
        }
        return handle;
    }

    // ---- batches ----

    /** Creates a batch; see {@link org.softrdma.verbs.QueuePair#sendBatch}. */
    SendBatch sendBatch(int operations) {
        qp.requireOpen("create_qp_ex");
        SendRequest probe = new SendRequest();
        int left = operations;
        for (WrOpcode opcode : WrOpcode.values()) {
            if ((operations & SendOps.of(opcode)) != 0 && qp.supports(probe.begin(opcode))) {
                left &= ~SendOps.of(opcode);
            }
        }
        if (left != 0) {
            throw refuse("create_qp_ex", Errno.EOPNOTSUPP, "operations 0x" + Integer.toHexString(left) + " are not those of " + qp.type()
                + " on this device");
        }
        return new SoftSendBatch(this, operations);
    }

    /** Locks the send queue for the calling thread until {@link #endBatch}. */
    void beginBatch() {
        qp.requireOpen("wr_start");
        lock.lock();
        try {
            requireNoBatch("wr_start");
        } catch (VerbsException nested) {
            lock.unlock();
            throw nested;
        }
        inBatch = true;
    }

    private void requireNoBatch(String verb) {
        if (inBatch) {
            throw refuse(verb, Errno.EINVAL, "this thread is in a batch; complete or abort it first");
        }
    }

    /** Checks and writes a request of a batch or list, without publishing it. */
    void stage(SendRequest request) {
        check(request);
        write("post_send", request);
        sends.stage();
    }

    /**
     * Ends the batch and unlocks the send queue.
     *
     * @param post false drops the staged requests
     */
    void endBatch(boolean post) {
        boolean wasIdle = sends.isEmpty();
        if (post) {
            sends.publishStaged();
        } else {
            sends.discardStaged();
        }
        inBatch = false;
        lock.unlock();
        if (post) {
            qp.doorbell(wasIdle);
        }
    }

    /** Binds a window of type 1; see {@link org.softrdma.verbs.QueuePair#bind}. */
    void bind(MemoryWindow window, long wrId, MemoryRegion region, long address, long length, int access, int sendFlags) {
        requireSending("bind_mw");
        if (!(window instanceof SoftMemoryWindow own) || window.type() != MemoryWindow.Type.TYPE_1 || !pd.sharesKeysWith(window.pd())) {
            throw refuse("bind_mw", Errno.EINVAL, "the window must be of type 1 and of the queue pair's protection domain; type 2 is bound "
                + "by SendRequest.bindWindow");
        }
        if (own.isClosed()) {
            throw refuse("bind_mw", Errno.EINVAL, "the window is closed");
        }
        if (length != 0 && (region == null || !pd.sharesKeysWith(region.pd()))) {
            throw refuse("bind_mw", Errno.EINVAL, region == null ? "a window of " + length + " bytes needs a region"
                : "the region belongs to another protection domain");
        }
        if ((access & ~AccessFlags.REMOTE_ANY) != 0) {
            throw refuse("bind_mw", Errno.EINVAL, "access 0x" + Integer.toHexString(access) + " has other bits than REMOTE_*");
        }
        SendRequest request = new SendRequest();
        if (!qp.supports(request.begin(WrOpcode.BIND_MW))) {
            throw refuse("bind_mw", Errno.EINVAL, "BIND_MW is not an operation of " + qp.type() + " on this device");
        }
        synchronized (own) {
            int key = MemoryWindow.nextRkey(own.rkey());
            post("bind_mw", request.bindWindow(key, length == 0 ? 0 : region.lkey(), address, length, access).wrId(wrId)
                .flags(sendFlags & ~SendFlags.INLINE));
            own.rkey(key);
        }
    }

    /** Copies the data of an INLINE request into the next record. */
    private void copyInline(SendRequest request) {
        switch (request.opcode()) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE -> { }
            default -> throw refuse("post_send", Errno.EINVAL, "INLINE with " + request.opcode() + ": only sends and writes carry data");
        }
        long length = 0;
        for (int i = 0; i < request.elements(); i++) {
            length += Integer.toUnsignedLong(request.length(i));
        }
        if (length > sends.maxInline()) {
            throw refuse("post_send", Errno.EINVAL, length + " bytes inline, max_inline_data is " + sends.maxInline());
        }
        long to = sends.inlineOffset(sends.next());
        for (int i = 0; i < request.elements(); i++) {
            MemorySegment data = request.inlineData(i);
            int bytes = request.length(i);
            if (data != null) {
                MemorySegment.copy(data, request.address(i), sends.memory(), to, bytes);
            } else if (bytes > 0) {
                Region region = memory.lookup(request.lkey(i));
                if (region == null || !region.covers(request.address(i), bytes)
                    || !region.copyOut(request.address(i), sends.memory(), to, bytes)) {
                    throw refuse("post_send", Errno.EINVAL, "inline element " + i + " names no registered memory (address 0x"
                        + Long.toHexString(request.address(i)) + ", lkey 0x" + Integer.toHexString(request.lkey(i))
                        + "); use inlineData(MemorySegment) for memory that is not registered");
                }
            }
            to += bytes;
        }
        sends.setInlineLength((int) length);
    }

    /** Creates the exception for a refused call; the message begins with the queue pair's number. */
    VerbsException refuse(String verb, Errno errno, String why) {
        return qp.refuse(verb, errno, why);
    }
}
