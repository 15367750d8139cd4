// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

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
    final Endpoint initiator;
    final Endpoint target;
    final List<PlannedRequest> requests = new ArrayList<>();
    /** Those that take a receive, in order: each receive is posted for one. */
    final List<PlannedRequest> receives = new ArrayList<>();

    private final Scenario scenario;
    private final boolean mayDie;
    private final QueuePair qp;
    private final QueuePair peerQp;
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

    RequestStream(String name, Endpoint initiator, Endpoint target, Scenario scenario, boolean mayDie) {
        this.name = name;
        this.initiator = initiator;
        this.target = target;
        this.scenario = scenario;
        this.mayDie = mayDie;
        qp = initiator.qp;
        peerQp = target.qp;
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

    /** Nothing is done any more: a work request failed, or the queue pair is gone. */
    boolean isDead() {
        return death != null || initiator.closed;
    }

    boolean mayDie() {
        return mayDie;
    }

    /** Requests that are not known to be complete. */
    List<PlannedRequest> left() {
        return requests.subList(done, requests.size());
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
            next.local.forEach(slot -> slot.memory().scribble(slot));
        }
        return true;
    }

    private void fill(PlannedRequest next) {
        long remote = next.remote == null ? 0 : next.remote.address();
        int rkey = next.window != null && next.kind != PlannedRequest.Kind.BIND ? next.window.rkey()
            : next.remote == null ? 0 : next.remote.memory().region().rkey();
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
            case BIND -> wr.bindWindow(next.window.bind(initiator.side), next.window.range.memory().region(), next.window.range.address(),
                next.window.range.length(), AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
            default -> throw new AssertionError(next.kind);
        }
        for (Slot slot : next.local) {
            if (next.inline && (next.index & 1) == 0) {
                wr.inlineData(slot.memory().region().memory().asSlice(slot.at(), slot.length()));
            } else {
                wr.element(slot.memory().region(), slot.at(), slot.length());
            }
        }
        if (next.inline) {
            wr.inline();
        }
        if (next.signaled && !scenario.signalAll()) {
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
        if (receivesPosted == receives.size() || target.isDead()
            || receivesPosted - receivesDone - receivesFlushed == peerQp.capabilities().maxRecvWr()) {
            return false;
        }
        recv.begin(-1L - receivesPosted);
        for (Slot slot : receives.get(receivesPosted).receive) {
            recv.element(slot.memory().region(), slot.at(), slot.length());
        }
        receivesPosted++;
        peerQp.postReceive(recv);
        return true;
    }

    /** Posts all there is room for. */
    void postAll() {
        while (postReceive() || postRequest()) {
            continue;
        }
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
            check(hasReason(wc.status(), requests.get(index)), "no reason to fail " + requests.get(index), wc);
            death = wc.status();
            done = index;
        } else {
            check(index == done + flushed && wc.status() == WcStatus.WR_FLUSH_ERR, "flush out of order, " + (done + flushed) + " was next",
                wc);
        }
        flushed++;
        check(qp.state() == QpState.ERR, "failed, but queue pair is in " + qp.state(), wc);
    }

    private boolean hasReason(WcStatus status, PlannedRequest request) {
        return switch (status) {
            case RETRY_EXC_ERR -> scenario.mayDie() || target.isDead();
            case RNR_RETRY_EXC_ERR -> scenario.mayDie() && scenario.rnrRetry() < 7;
            case REM_ACCESS_ERR -> request.lostRemote();
            case REM_OP_ERR -> request.lostReceive();
            case LOC_PROT_ERR -> request.lostLocal();
            case WR_FLUSH_ERR -> initiator.toldToFail || initiator.event != null;
            default -> false;
        };
    }

    void onReceiveCompletion(WorkCompletion wc) {
        check(wc.qpNum() == peerQp.qpNum(), "qp_num", wc);
        int next = receivesDone + receivesFlushed;
        check(wc.wrId() == -1L - next, "receive out of order, " + next + " was next", wc);
        if (!wc.isSuccess()) {
            boolean memoryGone = wc.status() == WcStatus.LOC_PROT_ERR && receivesFlushed == 0 && receives.get(next).lostReceive();
            check(mayDie && peerQp.state() == QpState.ERR && (memoryGone || wc.status() == WcStatus.WR_FLUSH_ERR), "failure", wc);
            receivesFlushed++;
            return;
        }
        check(receivesFlushed == 0 && receivesDone < receivesPosted, "success after a flush, or of nothing posted", wc);
        PlannedRequest taker = receives.get(receivesDone++);
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
            return initiator.closed || done + flushed == posted;
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
            + " received, " + receivesPosted + " posted, "
            + (initiator.closed ? "destroyed" : death == null ? qp.state() : death + " and " + flushed + " flushed")
            + (done < posted ? ", oldest " + requests.get(done) : "");
    }
}
