// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.softrdma.simulator.ShadowedMemory;
import org.softrdma.simulator.Slot;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * The requests of one end and the receives of the other: posted in order, checked when they complete, and accounted for at the end. A
 * SEND or WRITE completes when it was handed to TCP; that its bytes have arrived is known from a later message, or from an answer.
 */
final class MessageStream {
    /** Work request ids from here on are not those of messages. */
    static final long BIND_ID = 1L << 40;
    static final long INVALIDATE_ID = BIND_ID + 1;

    private static final int TARGET_ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;
    private static final int LARGEST_INLINE = 64;
    private static final int SPARE_BYTES = 60;

    final IwarpEnd from;
    final IwarpEnd to;
    private final IwarpScenario scenario;
    private final IwarpScenario.Window windowType;
    private final List<Message> plan = new ArrayList<>();
    private final List<Message> received = new ArrayList<>();
    private final ShadowedMemory source;
    private final ShadowedMemory target;
    private final ShadowedMemory inbox;
    private final ShadowedMemory words;
    private final Slot sum;
    private final Slot word;
    private MemoryWindow window;
    private int windowKey;
    private int posted;
    private int completed;
    /** Id of the next request to complete. */
    private int nextId;
    /** The window can be used. */
    private boolean bound;
    private Consumer<WorkCompletion> onSpecial;
    private int arrived;
    private boolean sendFailed;
    private boolean receiveFailed;
    private long plannedBytes;
    /** Places that an accident has taken away; a request that needs one may fail. */
    private final Set<IwarpAccident.Place> gone = EnumSet.noneOf(IwarpAccident.Place.class);

    MessageStream(IwarpScenario scenario, SplittableRandom random, IwarpEnd from, IwarpEnd to, boolean ofA) {
        this.scenario = scenario;
        this.from = from;
        this.to = to;
        windowType = scenario.windows().get(ofA ? 0 : 1);
        source = new ShadowedMemory(random.split(), true);
        target = new ShadowedMemory(random.split(), true);
        inbox = new ShadowedMemory(random.split(), true);
        words = new ShadowedMemory(random.split(), true);
        sum = words.reserve(Long.BYTES, Long.BYTES);
        word = words.reserve(Long.BYTES, Long.BYTES);
        IwarpAccident accident = scenario.accident();
        boolean invalidates = accident != null && accident.ofA() == ofA && accident.kind() == IwarpAccident.Kind.PEER_INVALIDATES;
        int requests = Math.max(ofA ? scenario.ofA() : scenario.ofB(), invalidates ? 2 : windowType == IwarpScenario.Window.NONE ? 0 : 1);
        int invalidation = invalidates ? 1 + (int) (accident.when() * (requests - 1)) : -1;
        for (int i = 0; i < requests; i++) {
            Message message = draw(random, i, i == invalidation);
            plan.add(message);
            reserve(message, random);
        }
        source.open(from.pd, iova(random), AccessFlags.LOCAL_WRITE);
        target.open(to.pd, iova(random), TARGET_ACCESS);
        inbox.open(to.pd, iova(random), AccessFlags.LOCAL_WRITE);
        words.open(to.pd, iova(random), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
    }

    private static long iova(SplittableRandom random) {
        return 0x1000L * (1 + random.nextInt(1 << 30));
    }

    // ---- the plan ----

    private Message draw(SplittableRandom random, int number, boolean invalidates) {
        Message.Kind kind = Message.Kind.values()[random.nextInt(Message.Kind.values().length - 1)];
        if (windowType != IwarpScenario.Window.NONE && number == 0) {
            // The owner cannot bind the window before it has received something.
            kind = Message.Kind.EMPTY_SEND;
        } else if (invalidates) {
            kind = Message.Kind.SEND_INV;
        }
        int most = kind == Message.Kind.READ ? scenario.readBytes() : scenario.mostBytes();
        int length = switch (kind) {
            case EMPTY_SEND -> 0;
            case FETCH_ADD, SWAP -> Long.BYTES;
            default -> random.nextInt(4) == 0 ? random.nextInt(64) : random.nextInt(most);
        };
        boolean payload = kind == Message.Kind.SEND || kind.isWrite();
        boolean inline = payload && length <= LARGEST_INLINE && random.nextBoolean();
        boolean solicited = kind.takesReceive() && random.nextInt(5) == 0;
        return new Message(kind, number, length, random.nextInt(6) == 0, solicited, inline);
    }

    private void reserve(Message message, SplittableRandom random) {
        if (message.length > 0) {
            message.local = source.reserve(message.length, message.kind.isAtomic() ? Long.BYTES : 1);
        }
        if (message.kind == Message.Kind.READ || message.kind.isWrite()) {
            message.remote = target.reserve(message.length, 1);
        } else if (message.kind.isAtomic()) {
            message.remote = message.kind == Message.Kind.SWAP ? word : sum;
        }
        if (message.kind.takesReceive()) {
            message.receive = inbox.reserve(message.length + random.nextInt(SPARE_BYTES), 1);
            received.add(message);
        }
        plannedBytes += message.length;
    }

    /** Begins to bind the window, if there is one. */
    void bind() {
        if (windowType == IwarpScenario.Window.NONE) {
            windowKey = target.rkey();
            bound = true;
            return;
        }
        boolean posts = windowType == IwarpScenario.Window.TYPE_2;
        window = to.pd.allocateMw(posts ? MemoryWindow.Type.TYPE_2 : MemoryWindow.Type.TYPE_1);
        long length = target.region().length();
        if (posts) {
            windowKey = MemoryWindow.nextRkey(window.rkey());
            to.qp.postSend(new SendRequest().bindWindow(windowKey, target.region(), target.region().address(), length,
                AccessFlags.REMOTE_ANY).wrId(BIND_ID).signaled());
        } else {
            to.qp.bind(window, BIND_ID, target.region(), target.region().address(), length, AccessFlags.REMOTE_ANY, SendFlags.SIGNALED);
            windowKey = window.rkey();
        }
    }

    /** Whether requests with keys may be posted. */
    boolean isBound() {
        return bound;
    }

    /** Fixes what each message carries, and posts the receives: iWARP has no "receiver not ready". */
    void prepare() {
        long added = words.expectedWord(sum);
        long swapped = words.expectedWord(word);
        for (Message message : plan) {
            message.rkey = message.kind.isAtomic() ? words.rkey() : windowKey;
            message.remoteAddress = message.remote == null ? 0 : message.remote.address();
            if (message.kind == Message.Kind.READ) {
                message.bytes = message.remote.expected();
            } else if (message.kind == Message.Kind.FETCH_ADD) {
                message.compareAdd = message.number + 1;
                message.original = added;
                added += message.compareAdd;
            } else if (message.kind == Message.Kind.SWAP) {
                message.compareAdd = message.number % 2 == 0 ? swapped : ~swapped;
                message.swap = message.number + 1;
                message.original = swapped;
                swapped = message.number % 2 == 0 ? message.swap : swapped;
            } else if (message.length > 0) {
                message.bytes = message.local.expected();
            }
        }
        for (int i = 0; i < received.size(); i++) {
            postReceive(i, received.get(i).receive);
        }
    }

    private void postReceive(int number, Slot slot) {
        ReceiveRequest receive = new ReceiveRequest().begin(number);
        int first = slot.length() / 3;
        int lkey = inbox.lkey();
        receive.element(slot.address(), first, lkey).element(slot.address() + first, slot.length() - first, lkey);
        if (to.srq() != null) {
            to.srq().postReceive(receive);
        } else {
            to.qp.postReceive(receive);
        }
    }

    List<Message> plan() {
        return plan;
    }

    long plannedBytes() {
        return plannedBytes;
    }

    // ---- posting ----

    /** Posts up to so many requests, but none with a key that does not exist yet. */
    void post(int most) {
        for (int count = 0; count < most && posted < plan.size(); count++) {
            Message message = plan.get(posted);
            if (!bound && !message.kind.isAtomic() && (message.remote != null || message.kind == Message.Kind.SEND_INV)) {
                return;
            }
            posted++;
            post(message);
        }
    }

    /** Posts the rest on a queue pair that has failed. */
    void flushRest() {
        while (posted < plan.size() && !from.destroyed) {
            post(plan.get(posted++));
        }
    }

    private void post(Message message) {
        SendRequest wr = new SendRequest();
        switch (message.kind) {
            case SEND, EMPTY_SEND -> wr.send();
            case SEND_INV -> {
                wr.sendWithInvalidate(windowKey);
                gone.add(IwarpAccident.Place.TARGET);
            }
            case WRITE -> wr.write(message.remoteAddress, message.rkey);
            case WRITE_IMM -> wr.writeWithImmediate(message.remoteAddress, message.rkey, message.immediate());
            case READ -> wr.read(message.remoteAddress, message.rkey);
            case FETCH_ADD -> wr.fetchAndAdd(message.remoteAddress, message.rkey, message.compareAdd);
            case SWAP -> wr.compareAndSwap(message.remoteAddress, message.rkey, message.compareAdd, message.swap);
        }
        wr.wrId(message.number).signaled();
        if (message.fence) {
            wr.fence();
        }
        if (message.solicited) {
            wr.solicited();
        }
        if (message.inline) {
            wr.inlineData(MemorySegment.ofArray(message.bytes));
        } else if (message.length > 0) {
            int first = message.kind.isAtomic() ? 0 : message.length / 3;
            int lkey = source.lkey();
            if (first > 0) {
                wr.element(message.local.address(), first, lkey);
            }
            wr.element(message.local.address() + first, message.length - first, lkey);
        }
        message.posted = true;
        message.hopeless = message.kind.isAtomic() ? words.isClosedToPeers() : target.isClosedToPeers();
        from.qp.postSend(wr);
    }

    // ---- completions ----

    /** Checks the completions since the last call. */
    void check() {
        List<WorkCompletion> sends = from.sends();
        while (completed < sends.size()) {
            checkSend(sends.get(completed++));
        }
        List<WorkCompletion> receives = to.receives();
        boolean event = false;
        for (int i = to.receivesBeforeArmed(); i < receives.size(); i++) {
            event |= receives.get(i).status() != WcStatus.SUCCESS || received.get(i).solicited;
        }
        to.checkEvent(event);
        while (arrived < receives.size()) {
            WorkCompletion wc = receives.get(arrived);
            require(wc.wrId() == arrived, "receives complete in order", wc);
            checkReceive(received.get(arrived++), wc);
        }
    }

    private void checkSend(WorkCompletion wc) {
        if (wc.wrId() >= BIND_ID) {
            onSpecial.accept(wc);
            return;
        }
        require(wc.wrId() == nextId, "requests complete in the order of posting, next " + nextId, wc);
        Message message = plan.get(nextId++);
        if (wc.status() != WcStatus.SUCCESS) {
            sendFailed = true;
            requireReason(message, wc);
            return;
        }
        require(!sendFailed, "success after a failure", wc);
        require(!message.hopeless || !message.kind.isAnswered() || !message.needsKey(), message + " of memory that was gone", wc);
        message.succeeded = true;
        switch (message.kind) {
            case SEND, EMPTY_SEND, SEND_INV -> require(wc.opcode() == WcOpcode.SEND, message.toString(), wc);
            case WRITE, WRITE_IMM -> require(wc.opcode() == WcOpcode.RDMA_WRITE, message.toString(), wc);
            case READ -> {
                require(wc.opcode() == WcOpcode.RDMA_READ && wc.byteLength() == message.length, message.toString(), wc);
                if (message.length > 0) {
                    require(source.holds(message.local.at(), message.bytes, 0, message.length), "bytes of " + message, wc);
                    source.expect(message.local.at(), message.bytes, 0, message.length);
                }
            }
            case FETCH_ADD, SWAP -> {
                boolean swaps = message.kind == Message.Kind.SWAP;
                require(wc.opcode() == (swaps ? WcOpcode.COMP_SWAP : WcOpcode.FETCH_ADD), message.toString(), wc);
                require(source.word(message.local) == message.original, "value found by " + message, wc);
                source.expectWord(message.local, message.original);
            }
        }
        if (message.kind.isAnswered()) {
            // The answer was sent after everything before the request was executed.
            expectWritesBefore(message);
        } else if (message.length > 0 && !source.isDead()) {
            // The memory is the application's again.
            source.scribble(message.local);
            source.expectScribble(message.local);
        }
    }

    /** @param handler receives the completions of what this direction's sender posted as the owner of memory */
    void onSpecial(Consumer<WorkCompletion> handler) {
        onSpecial = handler;
    }

    private void requireReason(Message message, WorkCompletion wc) {
        boolean good = switch (wc.status()) {
            case WR_FLUSH_ERR -> scenario.mayEnd();
            case REM_ACCESS_ERR -> message.kind.isAnswered()
                && gone.contains(message.kind.isAtomic() ? IwarpAccident.Place.WORDS : IwarpAccident.Place.TARGET);
            case LOC_PROT_ERR -> gone.contains(IwarpAccident.Place.SOURCE) && message.length > 0;
            default -> false;
        };
        require(good, message + " failed", wc);
    }

    private void checkReceive(Message message, WorkCompletion wc) {
        if (wc.status() != WcStatus.SUCCESS) {
            receiveFailed = true;
            boolean lost = wc.status() == WcStatus.LOC_PROT_ERR && gone.contains(IwarpAccident.Place.INBOX);
            require(lost || wc.status() == WcStatus.WR_FLUSH_ERR && scenario.mayEnd(), "receive for " + message + " failed", wc);
            return;
        }
        require(!receiveFailed, "success after a failure", wc);
        require(message.posted, message + " arrived before it was posted", wc);
        require(wc.byteLength() == message.length, message.toString(), wc);
        if (message.kind == Message.Kind.WRITE_IMM) {
            require(wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM && wc.immediate() == message.immediate() && wc.flags() == WcFlags.WITH_IMM,
                message.toString(), wc);
        } else {
            boolean invalidates = message.kind == Message.Kind.SEND_INV;
            require(wc.opcode() == WcOpcode.RECV && wc.flags() == (invalidates ? WcFlags.WITH_INV : 0), message.toString(), wc);
            require(!invalidates || wc.invalidatedRkey() == windowKey, "key of " + message, wc);
            if (message.length > 0) {
                require(inbox.holds(message.receive.at(), message.bytes, 0, message.length), "bytes of " + message, wc);
                inbox.expect(message.receive.at(), message.bytes, 0, message.length);
            }
        }
        message.placed |= message.kind.isSend();
        expectWritesBefore(message);
        if (message.kind == Message.Kind.SEND_INV) {
            closeTarget();
        }
    }

    /** All WRITEs up to this message must be in memory. */
    private void expectWritesBefore(Message last) {
        for (Message message : plan.subList(0, last.number + 1)) {
            if (message.kind.isWrite() && !message.placed && message.length > 0) {
                if (!target.holds(message.remote.at(), message.bytes, 0, message.length)) {
                    throw new AssertionError(from.name + ": " + message + " is not in memory, and " + last + " has arrived");
                }
                target.expect(message.remote.at(), message.bytes, 0, message.length);
                message.placed = true;
            }
        }
    }

    private void require(boolean condition, String what, WorkCompletion wc) {
        if (!condition) {
            throw new AssertionError(from.name + ": " + what + ": " + wc);
        }
    }

    // ---- accidents ----

    /** The memory is no longer the peer's to use: whatever it holds now must neither change nor be sent. */
    private void closeTarget() {
        gone.add(IwarpAccident.Place.TARGET);
        abandon(target);
    }

    private static void abandon(ShadowedMemory memory) {
        if (!memory.isDead()) {
            memory.abandon();
        }
    }

    void happen(IwarpAccident accident) {
        ShadowedMemory memory = switch (accident.place()) {
            case TARGET -> target;
            case SOURCE -> source;
            case INBOX -> inbox;
            case WORDS -> words;
        };
        switch (accident.kind()) {
            case MOVE -> memory.move();
            case DEREGISTER -> {
                gone.add(accident.place());
                if (memory == target && window != null) {
                    window.close();
                    window = null;
                }
                memory.deregister();
            }
            case REVOKE -> {
                gone.add(accident.place());
                memory.revoke();
                abandon(memory);
            }
            case GIVE -> {
                gone.add(accident.place());
                memory.give(to.otherPd);
                abandon(memory);
            }
            case FREE_WINDOW -> {
                target.close(window);
                window = null;
                closeTarget();
            }
            case INVALIDATE -> {
                gone.add(IwarpAccident.Place.TARGET);
                to.qp.postSend(new SendRequest().localInvalidate(windowKey).wrId(INVALIDATE_ID).signaled());
            }
            default -> throw new AssertionError(accident);
        }
    }

    /** Handles the completion of a binding or an invalidation, which the owner of the target posted. */
    void onOwnersCompletion(WorkCompletion wc) {
        if (wc.status() != WcStatus.SUCCESS) {
            require(wc.status() == WcStatus.WR_FLUSH_ERR && scenario.mayEnd(), "the owner's request failed", wc);
        } else if (wc.wrId() == BIND_ID) {
            require(wc.opcode() == WcOpcode.BIND_MW && !bound, "binding", wc);
            bound = true;
        } else {
            require(wc.opcode() == WcOpcode.LOCAL_INV, "invalidation", wc);
            closeTarget();
        }
    }

    /** Whether requests that need this may be refused. */
    boolean lost(IwarpAccident.Place place) {
        return gone.contains(place);
    }

    boolean hasLost() {
        return !gone.isEmpty();
    }

    // ---- the end ----

    boolean isDone() {
        return nextId == plan.size() && arrived == received.size();
    }

    boolean hasFailed() {
        return sendFailed || receiveFailed;
    }

    int done() {
        return nextId;
    }

    /** Whether a request was posted that must be refused, as its memory was gone. */
    boolean isHopeless() {
        return plan.stream().anyMatch(message -> message.hopeless && message.needsKey());
    }

    /** Checks that everything has completed, as far as it can. */
    void checkEnd(boolean ended) {
        if (!from.destroyed && nextId != plan.size()) {
            throw new AssertionError(from.name + ": " + nextId + " of " + plan.size() + " requests completed");
        }
        if (!ended && !isDone() || ended && to.srq() == null && !to.destroyed && arrived != received.size()) {
            throw new AssertionError(from.name + ": " + arrived + " of " + received.size() + " receives completed");
        }
        if (!ended && hasFailed()) {
            throw new AssertionError(from.name + ": a request failed on a sound connection");
        }
        if (!ended && !plan.isEmpty()) {
            expectWritesBefore(plan.getLast());
        }
    }

    /** Checks every byte of memory. */
    void checkMemory() {
        for (Message message : plan) {
            if (!message.posted) {
                continue;
            }
            boolean bytes = message.length > 0;
            if (message.kind.isWrite() && bytes && !message.placed) {
                target.mayBecome(message.remote.at(), message.bytes, 0, message.length);
            } else if (message.kind == Message.Kind.READ && bytes && !message.succeeded) {
                source.mayBecome(message.local.at(), message.bytes, 0, message.length);
            } else if (message.kind.isSend() && bytes && !message.placed) {
                inbox.mayBecome(message.receive.at(), message.bytes, 0, message.length);
            } else if (message.kind.isAtomic() && !message.succeeded) {
                source.forget(message.local.at(), Long.BYTES);
                words.forget(message.remote.at(), Long.BYTES);
            } else if (message.kind.isAtomic()) {
                boolean swapped = message.kind == Message.Kind.SWAP && message.original == message.compareAdd;
                long now = message.kind == Message.Kind.FETCH_ADD ? message.original + message.compareAdd
                    : swapped ? message.swap : message.original;
                words.expectWord(message.remote, now);
            }
        }
        for (ShadowedMemory memory : List.of(source, target, inbox, words)) {
            String difference = memory.difference();
            if (difference != null) {
                String which = memory == source ? "source" : memory == target ? "target" : memory == inbox ? "inbox" : "words";
                throw new AssertionError(from.name + "'s " + which + ": " + difference);
            }
        }
    }

    void close() {
        if (window != null) {
            window.close();
        }
        for (ShadowedMemory memory : List.of(source, target, inbox, words)) {
            memory.region().close();
        }
    }

    @Override
    public String toString() {
        return from.name + ": " + nextId + " of " + plan.size() + " requests, " + arrived + " of " + received.size() + " receives"
            + (gone.isEmpty() ? "" : ", lost " + gone);
    }
}
