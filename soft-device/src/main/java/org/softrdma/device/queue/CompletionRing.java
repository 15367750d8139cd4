// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** A ring of completions as records. The device's owner pushes, any thread takes. */
public final class CompletionRing {
    private static final int WR_ID = 0;
    private static final int STATUS = 8;
    private static final int OPCODE = 12;
    private static final int VENDOR_ERROR = 16;
    private static final int BYTE_LENGTH = 20;
    private static final int IMMEDIATE = 24;
    private static final int QP_NUM = 28;
    private static final int SOURCE_QP = 32;
    private static final int FLAGS = 36;
    private static final int TIMESTAMP = 40;
    private static final int RECORD_BYTES = 48;

    private static final WcStatus[] STATUSES = WcStatus.values();
    private static final WcOpcode[] OPCODES = WcOpcode.values();

    private final ReentrantLock takers = new ReentrantLock();
    /** Like {@link #memory}, replaced by the owner with {@link #takers} held: readable with either lock. */
    private int capacity;
    private RecordMemory memory;
    private volatile long tail;
    private volatile long head;
    /** The cursor that reads now, or null. Accessed with {@link #takers} held; the cursor keeps that lock while it reads. */
    private Cursor open;

    /**
     * Creates an empty ring.
     *
     * @param capacity completions; not rounded
     */
    public CompletionRing(int capacity) {
        this.capacity = capacity;
        memory = new RecordMemory(capacity, RECORD_BYTES);
    }

    public int capacity() {
        takers.lock();
        try {
            return capacity;
        } finally {
            takers.unlock();
        }
    }

    /**
     * Lock that excludes takers. A thread that needs the owner's lock too must take this one first: a reading taker may hold it for any
     * length of time.
     *
     * @return held while completions are taken or read in place
     */
    public ReentrantLock takers() {
        return takers;
    }

    /**
     * Changes the capacity. The caller is the owner, holds {@link #takers} and has no open {@link Cursor}.
     *
     * @param records at least {@link #size}
     */
    public void resize(int records) {
        RecordMemory other = new RecordMemory(records, RECORD_BYTES);
        for (long sequence = head; sequence < tail; sequence++) {
            memory.copyTo(other, at(sequence), (int) (sequence % records) * RECORD_BYTES, RECORD_BYTES);
        }
        memory = other;
        capacity = records;
    }

    /** Drops all completions that were not taken; nothing is pushed any more. A cursor that is open keeps those that it reads. */
    public void discard() {
        takers.lock();
        try {
            if (open == null) {
                head = tail;
            }
        } finally {
            takers.unlock();
        }
    }

    /** Returns whether the calling thread, which holds {@link #takers}, reads with a {@link Cursor}. */
    public boolean isBeingRead() {
        return open != null;
    }

    private int at(long sequence) {
        return (int) (sequence % capacity) * RECORD_BYTES;
    }

    /**
     * Number of completions that were not taken yet.
     *
     * @return 0..capacity
     */
    public int size() {
        return (int) (tail - head);
    }

    /** Returns the number of completions that were ever appended. */
    public long added() {
        return tail;
    }

    /** Returns the number of completions that were ever taken. */
    public long taken() {
        return head;
    }

    /**
     * Appends a completion. Owner's side.
     *
     * @return false if the ring is full: the completion is lost
     */
    public boolean push(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int byteLength, int immediate, int qpNum,
                        int sourceQp, int flags, long timestampNs) {
        long sequence = tail;
        if (sequence - head == capacity) {
            return false;
        }
        int at = at(sequence);
        memory.u64(at + WR_ID, wrId);
        memory.u32(at + STATUS, status.ordinal());
        memory.u32(at + OPCODE, opcode.ordinal());
        memory.u32(at + VENDOR_ERROR, vendorError);
        memory.u32(at + BYTE_LENGTH, byteLength);
        memory.u32(at + IMMEDIATE, immediate);
        memory.u32(at + QP_NUM, qpNum);
        memory.u32(at + SOURCE_QP, sourceQp);
        memory.u32(at + FLAGS, flags);
        memory.u64(at + TIMESTAMP, timestampNs);
        tail = sequence + 1;
        return true;
    }

    /**
     * Moves completions out of the ring, oldest first. Any thread.
     *
     * @param max upper limit, 0 or more
     * @return number of completions moved
     * @throws VerbsException EINVAL if the calling thread reads with a {@link Cursor}
     */
    public int take(WorkCompletion[] into, int max) {
        if (head == tail) {
            return 0;
        }
        takers.lock();
        try {
            if (open != null) {
                throw new VerbsException(Errno.EINVAL, "poll_cq", "this thread is reading the queue; call end_poll first");
            }
            long from = head;
            int count = (int) Math.min(tail - from, Math.min(max, into.length));
            for (int i = 0; i < count; i++) {
                int at = at(from + i);
                int flags = memory.u32(at + FLAGS);
                into[i].set(memory.u64(at + WR_ID), STATUSES[memory.u32(at + STATUS)], OPCODES[memory.u32(at + OPCODE)],
                    memory.u32(at + VENDOR_ERROR), memory.u32(at + BYTE_LENGTH), memory.u32(at + IMMEDIATE),
                    memory.u32(at + QP_NUM), memory.u32(at + SOURCE_QP), CompletionSink.wcFlags(flags));
                into[i].setLocalRoute(CompletionSink.slid(flags), CompletionSink.serviceLevel(flags), CompletionSink.pathBits(flags));
            }
            head = from + count;
            return count;
        } finally {
            takers.unlock();
        }
    }

    /** Reads records in place. Used by one thread. */
    public final class Cursor {
        private static final int CLOSED = -1;

        private long sequence;
        private int at = CLOSED;

        /**
         * Locks takers out and moves to the oldest record.
         *
         * @return false if there is none; then nothing is locked
         */
        public boolean begin() {
            if (head == tail) {
                return false;
            }
            takers.lock();
            if (open != null || head == tail) {
                boolean nested = open != null;
                takers.unlock();
                if (nested) {
                    throw new VerbsException(Errno.EINVAL, "start_poll", "this thread is reading the queue already; call end_poll first");
                }
                return false;
            }
            open = this;
            sequence = head;
            at = at(sequence);
            return true;
        }

        /**
         * Moves to the next record.
         *
         * @return false if there is none; then the cursor does not move
         */
        public boolean next() {
            require("next_poll");
            if (sequence + 1 == tail) {
                return false;
            }
            at = at(++sequence);
            return true;
        }

        /** Removes the records up to and including the current one, and unlocks the ring for takers. */
        public void end() {
            require("end_poll");
            head = sequence + 1;
            at = CLOSED;
            open = null;
            takers.unlock();
        }

        private void require(String verb) {
            if (at == CLOSED) {
                throw new VerbsException(Errno.EINVAL, verb, "no completion is being read; call start_poll first");
            }
        }

        private int field(int offset) {
            require("wc_read");
            return at + offset;
        }

        public long wrId() {
            return memory.u64(field(WR_ID));
        }

        public WcStatus status() {
            return STATUSES[memory.u32(field(STATUS))];
        }

        public WcOpcode opcode() {
            return OPCODES[memory.u32(field(OPCODE))];
        }

        public int vendorError() {
            return memory.u32(field(VENDOR_ERROR));
        }

        public int byteLength() {
            return memory.u32(field(BYTE_LENGTH));
        }

        public int immediate() {
            return memory.u32(field(IMMEDIATE));
        }

        public int qpNum() {
            return memory.u32(field(QP_NUM));
        }

        public int sourceQp() {
            return memory.u32(field(SOURCE_QP));
        }

        public int flags() {
            return CompletionSink.wcFlags(memory.u32(field(FLAGS)));
        }

        public long timestampNs() {
            return memory.u64(field(TIMESTAMP));
        }
    }
}
