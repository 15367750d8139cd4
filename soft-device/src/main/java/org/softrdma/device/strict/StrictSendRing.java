// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import java.util.ArrayDeque;
import org.softrdma.device.findings.StrictRule;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WrOpcode;

/**
 * A send ring with the rules of an adapter: exactly the slots and inline bytes that were asked for, slots that are given back by polled
 * completions, and memory that belongs to the device from the post call to the completion.
 */
final class StrictSendRing extends SendRing {
    private static final long ALIGNMENT = Long.BYTES - 1;

    /** A completion in its queue, and the requests whose slots it gives back when it is polled. */
    private record Completion(long position, long end) {
    }

    private final StrictQueuePair qp;
    private final StrictCompletions completions;
    private final int pd;
    private final int slots;
    private final int inlineBytes;
    private final boolean signalAll;
    private final PostedSend[] posted = new PostedSend[capacity()];
    private final Checksum whenPosted;
    private final Checksum whenDone;
    private final ArrayDeque<Completion> unpolled = new ArrayDeque<>();
    /** Slots of all requests before this sequence number have been given back. */
    private long givenBack;
    private int unsignaled;

    StrictSendRing(StrictQueuePair qp, StrictCompletions completions, int pd, QpCapabilities cap, boolean signalAll) {
        super(cap.maxSendWr(), Math.max(1, cap.maxSendSge()), cap.maxInlineData());
        this.qp = qp;
        this.completions = completions;
        this.pd = pd;
        this.signalAll = signalAll;
        slots = cap.maxSendWr();
        inlineBytes = cap.maxInlineData();
        whenPosted = new Checksum(qp.context().memory());
        whenDone = new Checksum(qp.context().memory());
    }

    // ---- poster's side ----

    @Override
    public int slots() {
        return slots;
    }

    /** The library of a program outside this process keeps its own account of slots. */
    @Override
    public boolean isFull() {
        return super.isFull() || !qp.context().isOutside() && next() - givenBack() >= slots;
    }

    private synchronized long givenBack() {
        while (!unpolled.isEmpty() && unpolled.peek().position < completions.queue().polled()) {
            givenBack = unpolled.remove().end;
        }
        return givenBack;
    }

    @Override
    public int maxInline() {
        return inlineBytes;
    }

    @Override
    public void write(SendRequest request) {
        String name = qp.context().name(qp::name, request.wrId(), "post_send");
        checkElements(request, name);
        checkSignaling(request, name);
        PostedSend record = PostedSend.of(request, signalAll, name, isRead(request) ? checksum(request) : PostedSend.NONE);
        posted[(int) next() & capacity() - 1] = record;
        super.write(request);
    }

    @Override
    public void publish() {
        count(posted(next()));
        super.publish();
    }

    @Override
    public void stage() {
        count(posted(next()));
        super.stage();
    }

    private void count(PostedSend request) {
        if (request.completes()) {
            completions.onPosted(request.request());
        }
    }

    private void checkElements(SendRequest request, String name) {
        WrOpcode opcode = request.opcode();
        boolean atomic = opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
        if (atomic && (request.remoteAddress() & ALIGNMENT) != 0) {
            report(StrictRule.ATOMIC_ALIGNMENT, opcode + " at the peer's 0x" + Long.toHexString(request.remoteAddress())
                + ", which is not a multiple of 8", name);
        }
        if ((request.flags() & SendFlags.INLINE) != 0) {
            checkInline(request, name);
            return;
        }
        int rights = atomic || opcode == WrOpcode.RDMA_READ ? AccessFlags.LOCAL_WRITE : 0;
        for (int i = 0; i < request.elements(); i++) {
            if (atomic && (request.address(i) & ALIGNMENT) != 0) {
                report(StrictRule.ATOMIC_ALIGNMENT, opcode + " with its result at 0x" + Long.toHexString(request.address(i))
                    + ", which is not a multiple of 8", name);
            }
            qp.context().checkElement(pd, i, request.address(i), request.length(i), request.lkey(i), rights, name);
        }
    }

    private void checkInline(SendRequest request, String name) {
        long bytes = 0;
        for (int i = 0; i < request.elements(); i++) {
            bytes += Integer.toUnsignedLong(request.length(i));
            if (request.inlineData(i) == null) {
                qp.context().checkElement(pd, i, request.address(i), request.length(i), request.lkey(i), 0, name);
            }
        }
        if (bytes > inlineBytes && bytes <= super.maxInline()) {
            report(StrictRule.INLINE_LIMIT, bytes + " bytes inline, and the queue pair was created with max_inline_data " + inlineBytes,
                name);
        }
    }

    private void checkSignaling(SendRequest request, String name) {
        unsignaled = signalAll || (request.flags() & SendFlags.SIGNALED) != 0 ? 0 : unsignaled + 1;
        if (unsignaled == slots) {
            report(StrictRule.SEND_SLOTS, "the last " + slots + " requests are not signaled, as many as the send queue holds: no"
                + " completion gives slots back; signal one in each queue full, and poll it", name);
        }
    }

    /** Whether the device reads the memory of the request's elements from now on; behind a fence it does later. */
    private static boolean isRead(SendRequest request) {
        boolean carriesData = switch (request.opcode()) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE -> true;
            default -> false;
        };
        return carriesData && (request.flags() & (SendFlags.INLINE | SendFlags.FENCE)) == 0;
    }

    private long checksum(SendRequest request) {
        whenPosted.begin();
        for (int i = 0; i < request.elements(); i++) {
            if (!whenPosted.add(request.address(i), request.length(i), request.lkey(i))) {
                return PostedSend.NONE;
            }
        }
        return whenPosted.value();
    }

    @Override
    public void discardStaged() {
        for (long sequence = tail(); sequence < next(); sequence++) {
            if (posted(sequence).completes()) {
                completions.onSettled(1);
            }
        }
        super.discardStaged();
    }

    // ---- owner's side ----

    private PostedSend posted(long sequence) {
        return posted[(int) sequence & capacity() - 1];
    }

    /** The device is done with requests: their memory must be as it was. */
    @Override
    public void release(long sequence) {
        for (long done = head(); done < sequence; done++) {
            PostedSend request = posted(done);
            if (request.completes()) {
                completions.onSettled(1);
            }
            checkUnchanged(request);
        }
        super.release(sequence);
    }

    private void checkUnchanged(PostedSend request) {
        if (request.checksum() == PostedSend.NONE) {
            return;
        }
        whenDone.begin();
        for (int i = 0; i < request.addresses().length; i++) {
            if (!whenDone.add(request.addresses()[i], request.lengths()[i], request.lkeys()[i])) {
                // The memory is gone: another rule.
                return;
            }
        }
        if (whenDone.value() != request.checksum()) {
            report(StrictRule.BUFFER_CHANGED, "the memory of this " + request.opcode() + " changed before it completed: its "
                + request.addresses().length + " elements begin with 0x" + Long.toHexString(request.addresses()[0]) + "+"
                + Integer.toUnsignedString(request.lengths()[0]) + "; the peer may have got either content", request.request());
        }
    }

    /** A completion is about to be added for the request that was released last. */
    synchronized void onCompletion() {
        if (!qp.context().isOutside()) {
            unpolled.add(new Completion(completions.queue().added(), head()));
        }
    }

    /** The queue pair was reset: all slots are free. */
    synchronized void onReset() {
        unpolled.clear();
        givenBack = tail();
    }

    /** The queue pair was destroyed: nothing completes any more. */
    void onClosed() {
        for (long sequence = head(); sequence < tail(); sequence++) {
            if (posted(sequence).completes()) {
                completions.onSettled(1);
            }
        }
    }

    /** Returns the newest outstanding request that names a key, as text; null for none. */
    String outstanding(int lkey) {
        for (long sequence = tail() - 1; sequence >= head(); sequence--) {
            PostedSend request = posted(sequence);
            if (request.names(lkey)) {
                return request.request();
            }
        }
        return null;
    }

    private void report(StrictRule rule, String text, String name) {
        qp.context().report(rule, text, name);
    }
}
