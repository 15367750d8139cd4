// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * The requests of one queue pair and the receives of its peer that take them: posts both, and knows which completion must come next. Every
 * violated expectation is an {@link AssertionError}.
 */
final class RequestStream {
    private final String name;
    final Side initiator;
    final Side target;
    final QueuePair qp;
    final QueuePair peerQp;
    final List<PlannedRequest> requests = new ArrayList<>();
    final List<PlannedReceive> receives = new ArrayList<>();

    private final boolean mayDie;
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();
    private int posted;
    /** Requests known to be complete: all before this one. */
    private int done;
    private int flushed;
    private WcStatus death;
    private int receivesPosted;
    private int receivesDone;
    private int receivesFlushed;

    /** A receive work request, and the message that will take it. */
    record PlannedReceive(PlannedRequest taker, int[] at, int[] length) {
    }

    RequestStream(String name, Side initiator, QueuePair qp, Side target, QueuePair peerQp, boolean mayDie) {
        this.name = name;
        this.initiator = initiator;
        this.qp = qp;
        this.target = target;
        this.peerQp = peerQp;
        this.mayDie = mayDie;
    }

    String name() {
        return name;
    }

    int done() {
        return done;
    }

    int posted() {
        return posted;
    }

    int receivesDone() {
        return receivesDone;
    }

    boolean isDead() {
        return death != null;
    }

    // ---- posting ----

    /** Posts the next request if there is room for it and what it waits for is done. @return whether it did */
    boolean postRequest() {
        if (posted == requests.size() || isDead() || posted - done == qp.capabilities().maxSendWr()) {
            return false;
        }
        PlannedRequest next = requests.get(posted);
        if (next.after != null && next.after.stream.done <= next.after.index) {
            return false;
        }
        posted++;
        fill(next);
        qp.postSend(wr.wrId(next.index));
        if (next.inline) {
            for (int i = 0; i < next.localAt.length; i++) {
                initiator.memory.scribble(next.localAt[i], next.localLength[i]);
            }
        }
        return true;
    }

    private void fill(PlannedRequest next) {
        long remote = target.memory.region().address() + next.remoteAt;
        int rkey = next.window != null && next.kind != PlannedRequest.Kind.BIND ? next.window.rkey() : target.memory.region().rkey();
        switch (next.kind) {
            case SEND -> wr.send();
            case SEND_IMM -> wr.sendWithImmediate(next.immediate);
            case SEND_INV -> wr.sendWithInvalidate(rkey);
            case WRITE -> wr.write(remote, rkey);
            case WRITE_IMM -> wr.writeWithImmediate(remote, rkey, next.immediate);
            case READ -> wr.read(remote, rkey);
            case SWAP -> wr.compareAndSwap(remote, rkey, next.compare, next.swapOrAdd);
            case ADD -> wr.fetchAndAdd(remote, rkey, next.swapOrAdd);
            case UNBIND -> wr.localInvalidate(rkey);
            case BIND -> wr.bindWindow(next.window.bind(initiator), initiator.memory.region(),
                initiator.memory.region().address() + next.window.at, next.window.length,
                AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
            default -> throw new AssertionError(next.kind);
        }
        for (int i = 0; i < next.localAt.length; i++) {
            if (next.inline && (next.index & 1) == 0) {
                MemorySegment data = initiator.memory.region().memory().asSlice(next.localAt[i], next.localLength[i]);
                wr.inlineData(data);
            } else {
                wr.element(initiator.memory.region(), next.localAt[i], next.localLength[i]);
            }
        }
        if (next.inline) {
            wr.inline();
        }
        if (next.signaled) {
            wr.signaled();
        }
        if (next.fence) {
            wr.fence();
        }
        if (next.solicited) {
            wr.solicited();
        }
    }

    /** Posts the next receive if there is room. @return whether it did */
    boolean postReceive() {
        if (receivesPosted == receives.size() || peerQp.state() == QpState.ERR
            || receivesPosted - receivesDone - receivesFlushed == peerQp.capabilities().maxRecvWr()) {
            return false;
        }
        PlannedReceive next = receives.get(receivesPosted);
        recv.begin(-1L - receivesPosted);
        for (int i = 0; i < next.at.length; i++) {
            recv.element(target.memory.region(), next.at[i], next.length[i]);
        }
        receivesPosted++;
        peerQp.postReceive(recv);
        return true;
    }

    // ---- completions ----

    void onSendCompletion(WorkCompletion wc) {
        check(wc.qpNum() == qp.qpNum(), "qp_num", wc);
        int index = (int) wc.wrId();
        if (!wc.isSuccess()) {
            onFailure(wc, index);
            return;
        }
        check(!isDead(), "success after a failure", wc);
        check(index >= done && index < posted, "already complete, or never posted; complete are " + done + ", posted " + posted, wc);
        for (int i = done; i < index; i++) {
            check(!requests.get(i).signaled, "overtakes signaled " + requests.get(i), wc);
        }
        PlannedRequest request = requests.get(index);
        check(request.signaled, "completion of unsignaled " + request, wc);
        check(wc.opcode() == request.kind.completion, "opcode of " + request, wc);
        if (request.kind == PlannedRequest.Kind.READ || request.kind.isAtomic()) {
            check(wc.byteLength() == request.length, "byte_len of " + request, wc);
        }
        done = index + 1;
    }

    /** The first failure must have a reason of its own; what follows is flushed, each request once and in order. */
    private void onFailure(WorkCompletion wc, int index) {
        check(mayDie, "failure; next would have been " + (done < requests.size() ? requests.get(done) : "nothing"), wc);
        if (death == null) {
            check(index >= done && index < posted, "unknown request", wc);
            for (int i = done; i < index; i++) {
                check(!requests.get(i).signaled, "overtakes signaled " + requests.get(i), wc);
            }
            check(wc.status() == WcStatus.RETRY_EXC_ERR || wc.status() == WcStatus.RNR_RETRY_EXC_ERR, "cause of death", wc);
            death = wc.status();
            done = index;
        } else {
            check(index == done + flushed && wc.status() == WcStatus.WR_FLUSH_ERR, "flush out of order, " + (done + flushed) + " was next",
                wc);
        }
        flushed++;
        check(qp.state() == QpState.ERR, "failed, but queue pair is in " + qp.state(), wc);
    }

    void onReceiveCompletion(WorkCompletion wc) {
        check(wc.qpNum() == peerQp.qpNum(), "qp_num", wc);
        int next = receivesDone + receivesFlushed;
        check(wc.wrId() == -1L - next, "receive out of order, " + next + " was next", wc);
        if (!wc.isSuccess()) {
            check(mayDie && wc.status() == WcStatus.WR_FLUSH_ERR && peerQp.state() == QpState.ERR, "failure", wc);
            receivesFlushed++;
            return;
        }
        check(receivesFlushed == 0 && receivesDone < receivesPosted, "success after a flush, or of nothing posted", wc);
        PlannedRequest taker = receives.get(receivesDone++).taker;
        check(taker.index < posted, "received before it was sent: " + taker, wc);
        boolean immediate = taker.kind == PlannedRequest.Kind.SEND_IMM || taker.kind == PlannedRequest.Kind.WRITE_IMM;
        boolean invalidates = taker.kind == PlannedRequest.Kind.SEND_INV;
        check(wc.opcode() == (taker.kind.isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM), "opcode of " + taker, wc);
        check(wc.byteLength() == taker.length, "byte_len of " + taker, wc);
        int flags = WcFlags.GRH | (immediate ? WcFlags.WITH_IMM : 0) | (invalidates ? WcFlags.WITH_INV : 0);
        check(wc.flags() == flags, "flags of " + taker, wc);
        check(!immediate || wc.immediate() == taker.immediate, "immediate of " + taker, wc);
        check(!invalidates || wc.invalidatedRkey() == taker.window.rkey(), "invalidated key of " + taker, wc);
    }

    private void check(boolean good, String what, WorkCompletion wc) {
        if (!good) {
            throw new AssertionError(name + ": " + what + ": " + wc);
        }
    }

    // ---- the end ----

    /** Whether nothing more can come. */
    boolean isFinished() {
        if (isDead()) {
            return done + flushed == posted;
        }
        if (posted < requests.size()) {
            PlannedRequest next = requests.get(posted);
            boolean orphaned = next.after != null && next.after.stream.isDead() && next.after.stream.done <= next.after.index;
            return orphaned && nothingSignaledSince(done) && receivesTaken();
        }
        return done == posted && receivesTaken();
    }

    private boolean nothingSignaledSince(int index) {
        for (int i = index; i < posted; i++) {
            if (requests.get(i).signaled) {
                return false;
            }
        }
        return true;
    }

    /** Every completed message took its receive. */
    private boolean receivesTaken() {
        int taken = 0;
        for (int i = 0; i < done; i++) {
            taken += requests.get(i).kind.consumesReceive() ? 1 : 0;
        }
        return receivesDone >= taken;
    }

    String status() {
        return name + ": " + done + " of " + requests.size() + " done, " + posted + " posted, " + receivesDone + " of " + receives.size()
            + " received, " + receivesPosted + " posted, " + (death == null ? qp.state() : death + " and " + flushed + " flushed")
            + (done < posted ? ", oldest " + requests.get(done) : "");
    }
}
