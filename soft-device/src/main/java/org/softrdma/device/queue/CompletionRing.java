// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Completions as records in native memory: the device's owner pushes, any thread takes. */
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
    private static final int RECORD_BYTES = 40;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT;
    private static final WcStatus[] STATUSES = WcStatus.values();
    private static final WcOpcode[] OPCODES = WcOpcode.values();

    private final int capacity;
    private final MemorySegment memory;
    private final ReentrantLock takers = new ReentrantLock();
    private volatile long tail;
    private volatile long head;

    /** @param capacity completions; exactly as many fit */
    public CompletionRing(int capacity) {
        this.capacity = capacity;
        memory = Arena.ofAuto().allocate((long) capacity * RECORD_BYTES, 64);
    }

    public int capacity() {
        return capacity;
    }

    /** Completions waiting to be taken. */
    public int size() {
        return (int) (tail - head);
    }

    /** Owner's side. @return false if the ring is full: the completion is lost */
    public boolean push(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int byteLength, int immediate, int qpNum,
                        int sourceQp, int flags) {
        long sequence = tail;
        if (sequence - head == capacity) {
            return false;
        }
        long at = sequence % capacity * RECORD_BYTES;
        memory.set(U64, at + WR_ID, wrId);
        memory.set(U32, at + STATUS, status.ordinal());
        memory.set(U32, at + OPCODE, opcode.ordinal());
        memory.set(U32, at + VENDOR_ERROR, vendorError);
        memory.set(U32, at + BYTE_LENGTH, byteLength);
        memory.set(U32, at + IMMEDIATE, immediate);
        memory.set(U32, at + QP_NUM, qpNum);
        memory.set(U32, at + SOURCE_QP, sourceQp);
        memory.set(U32, at + FLAGS, flags);
        tail = sequence + 1;
        return true;
    }

    /** Moves up to {@code max} completions, 0 or more, into {@code into}, oldest first. Any thread. @return how many */
    public int take(WorkCompletion[] into, int max) {
        if (head == tail) {
            return 0;
        }
        takers.lock();
        try {
            long from = head;
            int count = (int) Math.min(tail - from, Math.min(max, into.length));
            for (int i = 0; i < count; i++) {
                long at = (from + i) % capacity * RECORD_BYTES;
                into[i].set(memory.get(U64, at + WR_ID), STATUSES[memory.get(U32, at + STATUS)], OPCODES[memory.get(U32, at + OPCODE)],
                    memory.get(U32, at + VENDOR_ERROR), memory.get(U32, at + BYTE_LENGTH), memory.get(U32, at + IMMEDIATE),
                    memory.get(U32, at + QP_NUM), memory.get(U32, at + SOURCE_QP), memory.get(U32, at + FLAGS));
            }
            head = from + count;
            return count;
        } finally {
            takers.unlock();
        }
    }
}
