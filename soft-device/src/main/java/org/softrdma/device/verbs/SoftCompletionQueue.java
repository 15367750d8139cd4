// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.VirtualTime;
import org.softrdma.device.queue.CompletionRing;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.OutsideCompletions;
import org.softrdma.device.strict.StrictCompletions;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.provider.EventAcks;

/**
 * A completion queue: a ring, an arming state and an optional channel. For a program outside this process the three are in a
 * {@link CompletionSink} of its own, and this object only keeps the life and the dependents of the queue.
 */
public final class SoftCompletionQueue implements CompletionQueue, CompletionSink, LiveObjects.Shown, StrictCompletions.Queue {
    private static final int UNARMED = 0;
    private static final int SOLICITED = 1;
    private static final int ANY = 2;
    /** Longest pause of a waiting thread that leads: another one that polls meanwhile may add completions without waking it. */
    private static final long LEAD_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Pause of a waiting thread while another application thread leads. */
    private static final long FOLLOW_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final AtomicInteger LAST_NUMBER = new AtomicInteger();

    final Dependents children = new Dependents();

    /** Unique among the completion queues of the process. */
    private final int number = LAST_NUMBER.incrementAndGet();
    private final SoftContext context;
    private final Object userContext;
    private final SoftCompletionChannel channel;
    /** Null if the queue belongs to no parent domain. */
    private final SoftProtectionDomain parentDomain;
    private final CompletionRing ring;
    /** Null unless the context is strict. */
    private final StrictCompletions strict;
    /** Takes all completions in place of this queue; null for a program of this process. */
    private final OutsideCompletions outside;
    private final AtomicInteger armed = new AtomicInteger(UNARMED);
    private final EventAcks completionEvents = new EventAcks();
    private final EventAcks asyncEvents = new EventAcks();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final BooleanSupplier hasCompletions;
    private boolean overrun;

    /** @param outside takes all completions in place of this queue's ring; null for a program of this process */
    SoftCompletionQueue(SoftContext context, int cqe, Object userContext, SoftCompletionChannel channel,
                        SoftProtectionDomain parentDomain, OutsideCompletions outside) {
        this.outside = outside;
        this.context = context;
        this.userContext = userContext;
        this.channel = channel;
        this.parentDomain = parentDomain;
        ring = new CompletionRing(outside == null ? cqe : 1);
        hasCompletions = () -> ring.size() > 0;
        strict = context.strict() == null ? null : new StrictCompletions(context.strict(), this);
        context.children.add("completion queues");
        if (channel != null) {
            channel.add(this);
        }
        if (parentDomain != null) {
            parentDomain.children.add("completion queues");
        }
        context.living.add(this);
    }

    @Override
    public Context rdmaContext() {
        return context;
    }

    @Override
    public Object context() {
        return userContext;
    }

    @Override
    public int cqe() {
        return outside == null ? ring.capacity() : outside.capacity();
    }

    @Override
    public int poll(WorkCompletion[] into, int max) {
        if (max < 0) {
            throw new VerbsException(Errno.EINVAL, "poll_cq", "max " + max + " is negative");
        }
        int taken = take(into, max);
        if (taken == 0) {
            requireOpen("poll_cq");
            context.agent().tryDrive();
            taken = take(into, max);
        }
        return taken;
    }

    private int take(WorkCompletion[] into, int max) {
        int taken = ring.take(into, max);
        context.failures().explain(into, taken);
        return taken;
    }

    @Override
    public int await(WorkCompletion[] into, long timeoutNs) {
        VirtualTime time = context.agent().virtualTime();
        return time == null ? awaitInTime(into, timeoutNs) : awaitOn(time, into, timeoutNs);
    }

    private int awaitOn(VirtualTime time, WorkCompletion[] into, long timeoutNs) {
        long untilNs = timeoutNs < 0 ? Deadline.NEVER : Deadline.after(timeoutNs, time.nowNs());
        int taken = take(into, into.length);
        while (taken == 0 && !Deadline.isDue(untilNs, time.nowNs())) {
            requireOpen("await_cq");
            time.pause("await_cq", untilNs);
            taken = take(into, into.length);
        }
        return taken;
    }

    private int awaitInTime(WorkCompletion[] into, long timeoutNs) {
        long beganNs = System.nanoTime();
        long untilNs = timeoutNs < 0 ? Deadline.NEVER : Deadline.after(timeoutNs, beganNs);
        int taken = poll(into);
        for (long nowNs = beganNs; taken == 0 && !Deadline.isDue(untilNs, nowNs); nowNs = System.nanoTime()) {
            if (!context.agent().lead(hasCompletions, Deadline.earlier(untilNs, Deadline.after(LEAD_NS, nowNs)))) {
                LockSupport.parkNanos(FOLLOW_NS);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new VerbsException(Errno.EINTR, "poll_cq", "the waiting thread was interrupted");
            }
            taken = poll(into);
        }
        return taken;
    }

    @Override
    public String pendingWork() {
        return overrun ? "the queue has overrun: it was full, completions are lost, and no more come; make it larger, or poll earlier"
            : PendingWork.describe(context, this);
    }

    int number() {
        return number;
    }

    CompletionSink sink() {
        return outside == null ? this : outside;
    }

    /** Raises CQ_ERR: a completion was lost. Owner's side. */
    public void raiseOverrun() {
        context.raise(AsyncEventType.CQ_ERR, this, asyncEvents);
    }

    @Override
    public Resource resource() {
        return Resource.of(ResourceKind.CQ).with("cqn", number).with("cqe", cqe()).with("users", children.count())
            .with("ctxn", context.number());
    }

    /**
     * Number of completions not polled yet.
     *
     * @return 0..{@link #cqe}
     */
    @Override
    public int held() {
        return outside == null ? ring.size() : outside.size();
    }

    @Override
    public long added() {
        return ring.added();
    }

    @Override
    public long polled() {
        return ring.taken();
    }

    /** Returns the rules of a strict context; null otherwise. */
    StrictCompletions strict() {
        return strict;
    }

    @Override
    public CompletionReader reader() {
        requireOpen("create_cq_ex");
        return new SoftCompletionReader(this, context.agent(), ring);
    }

    @Override
    public void resize(int cqe) {
        int max = context.queryDevice().maxCqe();
        if (cqe < 1 || cqe > max) {
            throw refuseResize("cqe " + cqe + " is not in 1.." + max);
        }
        ReentrantLock owner = context.agent().lock();
        ring.takers().lock();
        owner.lock();
        try {
            if (closed.get() || overrun || ring.isBeingRead()) {
                throw refuseResize(closed.get() ? "the queue is closed" : overrun ? "the queue has overrun; make a new one"
                    : "this thread is reading the queue; call end_poll first");
            }
            if (cqe < ring.size()) {
                throw refuseResize("cqe " + cqe + " is less than the " + ring.size() + " completions it holds; poll them first");
            }
            ring.resize(cqe);
        } finally {
            owner.unlock();
            ring.takers().unlock();
        }
    }

    private static VerbsException refuseResize(String why) {
        return new VerbsException(Errno.EINVAL, "resize_cq", why);
    }

    @Override
    public boolean push(long wrId, WcStatus status, WcOpcode opcode, int byteLength, int immediate, int qpNum, int sourceQp, int flags,
                        boolean solicited) {
        return push(wrId, status, opcode, 0, byteLength, immediate, qpNum, sourceQp, flags, solicited);
    }

    @Override
    public boolean pushFailure(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int qpNum) {
        return push(wrId, status, opcode, vendorError, 0, 0, qpNum, 0, 0, false);
    }

    private boolean push(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int byteLength, int immediate, int qpNum,
                         int sourceQp, int flags, boolean solicited) {
        if (overrun || !ring.push(wrId, status, opcode, vendorError, byteLength, immediate, qpNum, sourceQp, flags, context.roundNs())) {
            if (!overrun) {
                overrun = true;
                raiseOverrun();
            }
            return false;
        }
        int mode = armed.get();
        if (mode == ANY || mode == SOLICITED && (solicited || status != WcStatus.SUCCESS)) {
            armed.set(UNARMED);
            channel.announce(this);
        }
        return true;
    }

    @Override
    public void requestNotify() {
        arm(ANY);
    }

    @Override
    public void requestNotifySolicited() {
        arm(SOLICITED);
    }

    /** The program waits for an event of the channel, and none has been raised. With the owner's lock held. */
    void onWait() {
        if (armed.get() != SOLICITED) {
            strict.onWait(armed.get() == ANY);
        }
    }

    private void arm(int mode) {
        requireOpen("req_notify_cq");
        if (channel == null) {
            return;
        }
        context.agent().lock().lock();
        try {
            armed.set(Math.max(armed.get(), mode));
        } finally {
            context.agent().lock().unlock();
        }
    }

    /**
     * Requires that the queue is open. Acknowledging events is allowed until they are all acknowledged: {@link #close} waits for that.
     *
     * @throws VerbsException EINVAL
     */
    void requireOpen(String verb) {
        if (closed.get()) {
            throw new VerbsException(Errno.EINVAL, verb, "cq " + number + " is closed");
        }
    }

    boolean isClosed() {
        return closed.get();
    }

    void delivered() {
        completionEvents.deliver();
    }

    @Override
    public void ackEvents(int count) {
        completionEvents.ack(count);
    }

    @Override
    public void close() {
        children.refuseIfAny("destroy_cq");
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (channel != null) {
            channel.forget(this);
            if (strict != null) {
                strict.onClose(completionEvents.unacknowledged());
            }
            completionEvents.awaitAll();
            channel.remove(this);
        }
        context.settleEvents(this, asyncEvents);
        List<WorkCompletion> left = context.living.isTraced() ? takeUnpolled() : List.of();
        ring.discard();
        if (parentDomain != null) {
            parentDomain.children.remove("completion queues");
        }
        context.children.remove("completion queues");
        if (left.isEmpty()) {
            context.living.remove(this);
        } else {
            context.living.removeUnpolled(this, left);
        }
    }

    /** Removes the completions that were not polled yet, without letting the device work. */
    public List<WorkCompletion> takeUnpolled() {
        WorkCompletion[] all = WorkCompletion.array(ring.size());
        return List.of(all).subList(0, take(all, all.length));
    }

    @Override
    public String toString() {
        return "cq " + number + ", cqe " + cqe();
    }
}
