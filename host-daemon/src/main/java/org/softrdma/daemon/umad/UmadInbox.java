// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.abi.umad.UmadHeader;
import org.softrdma.daemon.trap.EventSignal;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.linux.process.EventPipe;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.mad.Mad;

/**
 * Datagrams that a program can read from one file, oldest first: those that were received, and its own that came back. Each has a byte
 * in the pipe that the program polls.
 *
 * <p>Locks: the monitor is held while a program reads, which writes its memory. Datagrams are added with the device's lock held, which
 * takes the lock of the queue only; a call that waits is left to the device's timer thread.
 */
final class UmadInbox {
    /**
     * A datagram for the program.
     *
     * @param header {@link UmadHeader#BYTES}
     * @param data   the datagram, or the beginning of one that came back
     * @param own    whether it is one that came back
     */
    record Entry(byte[] header, byte[] data, boolean own) {
    }

    /** A read that waits: as much as {@code room} bytes at {@code address}. */
    private record Waiting(TrappedCall call, long address, long room) {
    }

    private enum Outcome {
        /** There is nothing to read. */
        NONE,
        /** The call was answered. */
        ANSWERED,
        /** The caller does not wait any more. */
        GONE
    }

    private final UmadFile file;
    private final EventPipe pipe = new EventPipe();
    private final EventSignal signal = new EventSignal(pipe);
    /** Guarded by the queue itself; only the holder of the monitor removes. */
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private int received;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** Size of {@link #waiting}, for {@link #add}. */
    private volatile int waitingCalls;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final MemorySegment record = Arena.ofAuto().allocate(UmadHeader.BYTES + Mad.LENGTH, 8);
    private boolean dead;

    UmadInbox(UmadFile file) {
        this.file = file;
    }

    EventPipe pipe() {
        return pipe;
    }

    /**
     * Adds a datagram.
     *
     * @return false if there is no room for another received one; those that came back are bounded by {@link UmadOutstanding}
     */
    boolean add(Entry entry) {
        synchronized (entries) {
            if (!entry.own && received >= UmadLimits.RECEIVED) {
                return false;
            }
            received += entry.own ? 0 : 1;
            entries.add(entry);
        }
        signal.add();
        if (waitingCalls > 0) {
            schedule();
        }
        return true;
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            file.device().after(0, this::answerWaiting);
        }
    }

    /**
     * Answers a read, now or when there is a datagram.
     *
     * @throws VerbsException before the call was answered: EINVAL, EAGAIN, ENOMEM, EIO
     */
    void read(TrappedCall call, long address, long room) {
        if (room >= 0 && room < file.headerBytes()) {
            throw refuse(Errno.EINVAL, "room for " + room + " bytes; the header has " + file.headerBytes());
        }
        Waiting reader = new Waiting(call, address, room < 0 ? Long.MAX_VALUE : room);
        synchronized (this) {
            requireAlive();
            if (deliver(reader) != Outcome.NONE) {
                return;
            }
        }
        if (call.isNonBlocking(call.descriptor())) {
            throw refuse(Errno.EAGAIN, "there is nothing to read");
        }
        await(reader);
    }

    private synchronized void await(Waiting reader) {
        requireAlive();
        waiting.removeIf(each -> !each.call.isPending());
        if (waiting.size() >= UmadLimits.WAITING_CALLS) {
            throw refuse(Errno.ENOMEM, "too many calls wait");
        }
        reader.call.admitSignals();
        waiting.add(reader);
        waitingCalls = waiting.size();
        // A datagram that was added before the call was seen to wait.
        answerWaiting();
    }

    private void requireAlive() {
        if (dead) {
            throw refuse(Errno.EIO, "the device is gone");
        }
    }

    private static VerbsException refuse(Errno errno, String detail) {
        return new VerbsException(errno, "recv_mad", detail);
    }

    /** Answers the calls that wait, as far as there are datagrams. */
    private synchronized void answerWaiting() {
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

    /** Delivers the oldest datagram, which stays if the call fails. */
    private Outcome deliver(Waiting to) {
        Entry entry;
        synchronized (entries) {
            entry = entries.peek();
        }
        if (entry == null) {
            return Outcome.NONE;
        }
        int bytes = file.headerBytes() + entry.data.length;
        if (to.room < bytes) {
            to.call.answer(-Errno.EINVAL.value());
            return Outcome.ANSWERED;
        }
        if (!to.call.claim()) {
            return Outcome.GONE;
        }
        MemorySegment.copy(MemorySegment.ofArray(entry.header), 0, record, 0, file.headerBytes());
        MemorySegment.copy(MemorySegment.ofArray(entry.data), 0, record, file.headerBytes(), entry.data.length);
        if (!to.call.process().memory().write(to.address, record, 0, bytes)) {
            to.call.answer(-Errno.EFAULT.value());
            return Outcome.ANSWERED;
        }
        // Before the answer: a program that polls then must not find the byte of the datagram that it has.
        signal.remove(1);
        if (!to.call.answer(bytes)) {
            signal.add();
            return Outcome.GONE;
        }
        synchronized (entries) {
            entries.remove();
            received -= entry.own ? 0 : 1;
        }
        if (entry.own) {
            file.outstanding().read();
        }
        return Outcome.ANSWERED;
    }

    /** Ends the device for the program: reads fail, and its polls return. */
    synchronized void end() {
        if (dead) {
            return;
        }
        dead = true;
        signal.add();
        if (!pipe.hasNoReader()) {
            waiting.forEach(each -> each.call.answer(-Errno.EIO.value()));
        }
        waiting.clear();
        waitingCalls = 0;
    }
}
