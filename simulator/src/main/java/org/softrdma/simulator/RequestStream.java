// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * The requests of one queue pair and the receives of its peer that take them: posts both, and knows which completion must come next. Every
 * violated expectation is an {@link AssertionError}. Without acknowledgements a request is complete when it was sent, and whether it
 * arrives is {@link LooseWorkload}'s business.
 */
final class RequestStream {
    private final String name;
    final Endpoint initiator;
    final Endpoint target;
    final List<PlannedRequest> requests = new ArrayList<>();
    /** Of RC: those that take a receive, in order. Each receive is posted for one, unless the target has a pool. */
    final List<PlannedRequest> receives = new ArrayList<>();

    private final Scenario scenario;
    private final boolean mayDie;
    private final boolean reliable;
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

    /** @param target null for datagrams, which have one each */
    RequestStream(String name, Endpoint initiator, Endpoint target, Scenario scenario, boolean mayDie) {
        this.name = name;
        this.initiator = initiator;
        this.target = target;
        this.scenario = scenario;
        this.mayDie = mayDie;
        qp = initiator.qp;
        reliable = initiator.service == QpType.RC;
        peerQp = target == null ? null : target.qp;
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

    /** Nothing is done any more: a work request failed, or the queue pair is gone, or its completions are. */
    boolean isDead() {
        return death != null || initiator.closed || initiator.overrun;
    }

    boolean isReliable() {
        return reliable;
    }

    boolean mayDie() {
        return mayDie;
    }

    /** Requests that are not known to be complete. */
    List<PlannedRequest> left() {
        return requests.subList(done, requests.size());
    }

    // ---- posting ----

    /**
     * Posts the next request if there is room for it and what it waits for is done.
     *
     * @return whether it did
     */
    boolean postRequest() {
        if (posted == requests.size() || isDead() || posted - done == qp.capabilities().maxSendWr()) {
            return false;
        }
        PlannedRequest next = requests.get(posted);
        if (next.after != null && next.after.stream.done <= next.after.index) {
            return false;
        }
        posted++;
        next.refused = next.length > 0 && next.lostRemote();
        fill(next);
        qp.postSend(wr.wrId(next.index));
        if (next.closesHandle) {
            initiator.side.closeHandleTo(next.to.gid());
        }
        if (next.inline) {
            next.local.forEach(slot -> slot.memory().scribble(slot));
        }
        return true;
    }

    private void fill(PlannedRequest next) {
        long remote = next.remote == null ? 0 : next.remote.address();
        int rkey = next.window != null && next.kind != PlannedRequest.Kind.BIND ? next.window.rkey()
            : next.remote == null ? 0 : next.remote.memory().rkey();
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
            case BIND -> wr.bindWindow(next.window.bind(initiator.side), next.window.range.memory().lkey(), next.window.range.address(),
                next.window.range.length(), AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
            default -> throw new AssertionError(next.kind);
        }
        for (Slot slot : next.local) {
            if (next.inline && (next.index & 1) == 0) {
                wr.inlineData(slot.memory().memory(slot));
            } else {
                wr.element(slot.address(), slot.length(), slot.memory().lkey());
            }
        }
        if (next.to != null) {
            wr.to(initiator.side.handleTo(next.to.gid()), next.to.qpn(), next.to.qkey());
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

    /**
     * Posts the next receive if there is room.
     *
     * @return whether it did
     */
    boolean postReceive() {
        if (receivesPosted == receives.size() || target.pool != null || target.isDead()
            || receivesPosted - receivesDone - receivesFlushed == peerQp.capabilities().maxRecvWr()) {
            return false;
        }
        recv.begin(-1L - receivesPosted);
        for (Slot slot : receives.get(receivesPosted).receive) {
            recv.element(slot.address(), slot.length(), slot.memory().lkey());
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
        check(death == null, "success after a failure", wc);
        check(index >= done && index < posted, "already complete, or never posted; complete are " + done + ", posted " + posted, wc);
        for (int i = done; i < index; i++) {
            check(!requests.get(i).signaled, "overtakes signaled " + requests.get(i), wc);
        }
        for (int i = done; i <= index; i++) {
            check(!reliable || !requests.get(i).refused, "success with a key that opens nothing any more of " + requests.get(i), wc);
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
        // Without acknowledgements a failure stops the send queue only.
        check(qp.state() == QpState.SQE ? !reliable : qp.state() == QpState.ERR && (reliable || initiator.mayBeFlushed()),
            "failed, and queue pair is in " + qp.state(), wc);
        if (qp.state() == QpState.SQE && done + flushed == posted) {
            recover();
        }
    }

    /** A send queue that failed alone goes on when the application says so. */
    private void recover() {
        qp.modify(new QpAttributes().state(QpState.RTS));
        done = posted;
        flushed = 0;
        death = null;
    }

    private boolean hasReason(WcStatus status, PlannedRequest request) {
        return switch (status) {
            case RETRY_EXC_ERR -> reliable && (scenario.mayDie() || target.isDead());
            case RNR_RETRY_EXC_ERR -> reliable && scenario.mayDie() && scenario.rnrRetry() < 7;
            case REM_ACCESS_ERR -> reliable && request.lostRemote();
            case REM_OP_ERR -> reliable && request.lostReceive();
            case LOC_PROT_ERR -> request.lostLocal();
            case WR_FLUSH_ERR -> initiator.mayBeFlushed();
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
        checkReceived(wc);
    }

    /**
     * A message came into receives that serve all.
     *
     * @param slots of the receive, in order
     */
    void onPooledReceive(WorkCompletion wc, List<Slot> slots) {
        check(receivesDone < receives.size(), "more received than will be sent", wc);
        PlannedRequest taker = checkReceived(wc);
        if (taker.kind.isSend()) {
            check(Arrays.equals(bytesOf(slots, 0, taker.length), taker.source()), "received other bytes than sent by " + taker, wc);
        }
    }

    /**
     * The first bytes of a receive.
     *
     * @param from how many of them to leave out
     */
    static byte[] bytesOf(List<Slot> slots, int from, int bytes) {
        byte[] all = new byte[from + bytes];
        int at = 0;
        for (Slot slot : slots) {
            int length = Math.min(slot.length(), all.length - at);
            System.arraycopy(slot.memory().bytes(slot), 0, all, at, length);
            at += length;
        }
        return Arrays.copyOfRange(all, from, all.length);
    }

    private PlannedRequest checkReceived(WorkCompletion wc) {
        PlannedRequest taker = receives.get(receivesDone++);
        check(taker.index < posted, "received before it was sent: " + taker, wc);
        boolean immediate = taker.kind.hasImmediate();
        boolean invalidates = taker.kind == PlannedRequest.Kind.SEND_INV;
        check(wc.opcode() == (taker.kind.isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM), "opcode of " + taker, wc);
        check(wc.byteLength() == taker.length, "byte_len of " + taker, wc);
        int flags = WcFlags.GRH | (immediate ? WcFlags.WITH_IMM : 0) | (invalidates ? WcFlags.WITH_INV : 0);
        check(wc.flags() == flags, "flags of " + taker, wc);
        check(!immediate || wc.immediate() == taker.immediate, "immediate of " + taker, wc);
        check(!invalidates || wc.invalidatedRkey() == taker.window.rkey(), "invalidated key of " + taker, wc);
        return taker;
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
            return initiator.closed || initiator.overrun || done + flushed == posted;
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
        if (!reliable || target.overrun) {
            return true;
        }
        int taken = 0;
        for (int i = 0; i < done; i++) {
            taken += requests.get(i).kind.consumesReceive() ? 1 : 0;
        }
        return receivesDone >= taken;
    }

    String status() {
        return name + ": " + done + " of " + requests.size() + " done, " + posted + " posted, "
            + (reliable ? receivesDone + " of " + receives.size() + " received, " + receivesPosted + " posted, " : "")
            + (initiator.closed ? "destroyed" : initiator.overrun ? "overrun" : death == null ? qp.state()
                : death + " and " + flushed + " flushed")
            + (done < posted ? ", oldest " + requests.get(done) : "");
    }
}
