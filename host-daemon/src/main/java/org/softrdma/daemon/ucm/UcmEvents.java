// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.ucm.UcmGetEvent;
import org.softrdma.cm.CmEventListener;
import org.softrdma.daemon.trap.EventSignal;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.linux.process.EventPipe;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.EventChannel;

/**
 * The events of one file. They wait in a channel of the connection manager, which reports them to {@link #admits} and {@link #onQueued}
 * with its locks held: here a byte is written to the program's pipe, and a call that waits is left to {@link UcmDelivery}. There is no
 * thread for each channel.
 *
 * <p>Locks: the monitor is held while events are taken and delivered, and calls into the connection manager; what the connection manager
 * calls takes only the lock of {@link EventSignal}.
 */
final class UcmEvents implements CmEventListener {
    /** Least room for an event: its size in older libraries, without enhanced connection establishment. */
    private static final int MIN_EVENT_BYTES = UcmEvent.VENDOR_ID_OFFSET - Integer.BYTES;

    /**
     * A call of GET_EVENT.
     *
     * @param response where the program wants the event
     * @param room     bytes there
     * @param result   what the call returns
     */
    private record Waiting(TrappedCall call, long response, int room, long result) {
    }

    private enum Outcome {
        /** There is no event. */
        NONE,
        /** The call was answered. */
        ANSWERED,
        /** The caller does not wait any more. */
        GONE
    }

    private final UcmFile file;
    private final EventPipe pipe = new EventPipe();
    private final EventSignal signal = new EventSignal(pipe);
    private final EventChannel channel;
    /** Events that were taken from the channel, but could not be delivered; oldest first. */
    private final ArrayDeque<PendingEvent> held = new ArrayDeque<>();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** Size of {@link #waiting}, for {@link #onQueued}. */
    private volatile int waitingCalls;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final MemorySegment record = Arena.ofAuto().allocate(UcmEvent.BYTES, 8);
    private boolean closed;

    /** Opens the channel and its pipe. */
    UcmEvents(UcmFile file) {
        this.file = file;
        channel = file.device().manager().createEventChannel(this);
    }

    EventPipe pipe() {
        return pipe;
    }

    EventChannel channel() {
        return channel;
    }

    // ---- arrival ----

    @Override
    public boolean admits(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            return true;
        }
        if (!(event.id().context() instanceof UcmIdentifier identifier) || identifier.cm() != event.id()) {
            // The identifier of a request that was not handed out yet: accepting it will fail.
            return false;
        }
        if (event.type() == CmEventType.DEVICE_REMOVAL) {
            identifier.markRemoved();
        }
        return identifier.uid() != 0;
    }

    @Override
    public void onQueued() {
        signal.add();
        if (waitingCalls > 0) {
            schedule();
        }
    }

    @Override
    public void onRemoved(int count) {
        signal.remove(count);
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            file.device().delivery().schedule(this);
        }
    }

    // ---- delivery ----

    /**
     * Executes GET_EVENT, and answers the call now or when there is an event.
     *
     * @param result what the call returns with an event
     * @throws VerbsException before the call was answered: ENOSPC, EINVAL, EAGAIN, ENOMEM, EIO
     */
    void get(UcmRequest request, long result) {
        request.name("get_event");
        if (request.bodyBytes() < UcmGetEvent.BYTES) {
            throw request.refuse(Errno.EINVAL, request.bodyBytes() + " bytes; the command has " + UcmGetEvent.BYTES);
        }
        request.requireRoom(MIN_EVENT_BYTES);
        Waiting call = new Waiting(request.call(), UcmGetEvent.response(request.body(), 0), Math.min(request.room(), UcmEvent.BYTES),
            result);
        synchronized (this) {
            if (closed) {
                throw request.refuse(Errno.EIO, "the channel is closed");
            }
            if (deliver(call) != Outcome.NONE) {
                return;
            }
        }
        if (call.call.isNonBlocking(call.call.descriptor())) {
            throw request.refuse(Errno.EAGAIN, "there is no event");
        }
        await(request, call);
    }

    private synchronized void await(UcmRequest request, Waiting call) {
        file.device().delivery().start();
        waiting.removeIf(each -> !each.call.isPending());
        if (closed || waiting.size() >= UcmLimits.WAITING_CALLS) {
            throw request.refuse(closed ? Errno.EIO : Errno.ENOMEM, closed ? "the channel is closed" : "too many calls wait");
        }
        call.call.admitSignals();
        waiting.add(call);
        waitingCalls = waiting.size();
        // An event that was queued before the call was seen to wait.
        answerWaiting();
    }

    /** Answers the calls that wait, as far as there are events. */
    synchronized void answerWaiting() {
        scheduled.set(false);
        while (!waiting.isEmpty()) {
            Waiting first = waiting.peek();
            if (first.call.isPending() && deliver(first) == Outcome.NONE) {
                break;
            }
            waiting.remove();
        }
        waitingCalls = waiting.size();
    }

    private Outcome deliver(Waiting to) {
        PendingEvent event = next();
        if (event == null) {
            return Outcome.NONE;
        }
        if (!to.call.claim()) {
            held.addFirst(event);
            return Outcome.GONE;
        }
        EventWriter.write(record.fill((byte) 0), event);
        if (!to.call.process().memory().write(to.response, record, 0, to.room)) {
            held.addFirst(event);
            to.call.answer(-Errno.EFAULT.value());
            return Outcome.ANSWERED;
        }
        // Before the answer: a program that polls then must not find the byte of the event that it has.
        signal.remove(1);
        if (!to.call.answer(to.result)) {
            signal.add();
            held.addFirst(event);
            return Outcome.GONE;
        }
        event.count();
        return Outcome.ANSWERED;
    }

    /** Takes the next event that is to be delivered; null if there is none. */
    private PendingEvent next() {
        PendingEvent event = held.poll();
        while (event == null) {
            CmEvent taken = channel.getEvent(0);
            if (taken == null) {
                return null;
            }
            taken.ack();
            event = pending(taken);
            if (event == null) {
                signal.remove(1);
            }
        }
        return event;
    }

    /** Finds what an event is about; null if it is about nothing that the program still has. */
    private PendingEvent pending(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            return adopt(event);
        }
        UcmIdentifier identifier = (UcmIdentifier) event.id().context();
        UcmMembership membership = (UcmMembership) event.joinContext();
        boolean left = membership != null && file.device().memberships().get(membership.number()) != membership;
        return left ? null : new PendingEvent(event, identifier, identifier, membership, null);
    }

    /** Makes an identifier for a request. If there are too many, the peer is refused. */
    private PendingEvent adopt(CmEvent event) {
        try {
            return new PendingEvent(event, file.adopt(event.id()), (UcmIdentifier) event.listenId().context(), null, null);
        } catch (VerbsException full) {
            event.id().close();
            return null;
        }
    }

    // ---- events that are not delivered ----

    /**
     * Drops the events of an identifier that the program has not read.
     *
     * @return events of the identifier that it has read
     */
    int dropOf(UcmIdentifier identifier) {
        takeHeldOf(identifier).forEach(PendingEvent::drop);
        return identifier.eventsReported();
    }

    /**
     * Drops the events of a membership, which is in no table any more.
     *
     * @return events of the membership that the program has read
     */
    synchronized int dropOf(UcmMembership membership) {
        PendingEvent event = next();
        List<PendingEvent> others = new ArrayList<>();
        while (event != null) {
            others.add(event);
            event = next();
        }
        others.removeIf(each -> {
            boolean dropped = each.membership() == membership;
            signal.remove(dropped ? 1 : 0);
            return dropped;
        });
        held.addAll(others);
        return membership.eventsReported();
    }

    /** Removes and returns the events of an identifier that were held back. */
    synchronized List<PendingEvent> takeHeldOf(UcmIdentifier identifier) {
        List<PendingEvent> taken = new ArrayList<>();
        for (Iterator<PendingEvent> each = held.iterator(); each.hasNext();) {
            PendingEvent event = each.next();
            if (event.owner() == identifier) {
                each.remove();
                taken.add(event);
            }
        }
        signal.remove(taken.size());
        return taken;
    }

    /** Adds events of an identifier that has moved here. */
    synchronized void hold(List<PendingEvent> events) {
        held.addAll(events);
        events.forEach(_ -> signal.add());
        answerWaiting();
    }

    /**
     * Adds an event that the program has written.
     *
     * @throws VerbsException ENOMEM: too many are unread
     */
    synchronized void write(UcmRequest request, UcmIdentifier identifier, WrittenEvent event) {
        if (held.size() >= UcmLimits.WRITTEN_EVENTS) {
            throw request.refuse(Errno.ENOMEM, "too many events are unread");
        }
        hold(List.of(PendingEvent.of(identifier, event)));
    }

    // ---- closing ----

    /**
     * Stops delivering; the identifiers are destroyed after that. Calls that wait fail, if a program still has the descriptor: the process
     * that opened the file has ended, and a child of it waits. Where all descriptors were closed they wait on, as in the kernel, whose
     * write holds the file until a signal ends it.
     */
    synchronized void stop() {
        closed = true;
        if (!pipe.hasNoReader()) {
            waiting.forEach(each -> each.call.answer(-Errno.EIO.value()));
        }
        waiting.clear();
        waitingCalls = 0;
    }

    /** Closes the channel and the pipe, when there are no identifiers any more. */
    void close() {
        channel.close();
        pipe.close();
    }
}
