// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Counts of an end: 256 bytes, integers little-endian, the last four without meaning. u32 processors, clock ticks in a second, most
 * completions taken at once; u64 times in ticks at the begin and at the end, in the order of {@link CpuTimes}; four {@link Count}s.
 * Source: observed of qperf 0.4.11.
 */
final class Statistics {
    static final int BYTES = 256;

    private static final int BEGIN_AT = 12;
    private static final int END_AT = BEGIN_AT + Long.BYTES * CpuTimes.COUNT;
    private static final int COUNTS_AT = END_AT + Long.BYTES * CpuTimes.COUNT;

    /** Messages that went one way. */
    static final class Count {
        private static final int BYTES = 3 * Long.BYTES;

        long bytes;
        long messages;
        long errors;

        /** Another message. */
        void message(long size) {
            bytes += size;
            messages++;
        }

        void add(Count other) {
            bytes += other.bytes;
            messages += other.messages;
            errors += other.errors;
        }

        private void write(ByteBuffer into, int offset) {
            into.putLong(offset, bytes).putLong(offset + 8, messages).putLong(offset + 16, errors);
        }

        private void read(ByteBuffer from, int offset) {
            bytes = from.getLong(offset);
            messages = from.getLong(offset + 8);
            errors = from.getLong(offset + 16);
        }
    }

    int processors = Runtime.getRuntime().availableProcessors();
    int ticksPerSecond = CpuTimes.TICKS_PER_SECOND;
    int maxCompletions;
    final long[] begin = new long[CpuTimes.COUNT];
    final long[] end = new long[CpuTimes.COUNT];
    final Count sent = new Count();
    final Count received = new Count();
    /** Data sent by the peer as this end knows it: only the requester sees a READ complete. */
    final Count remoteSent = new Count();
    /** Data received by the peer as this end knows it: only the requester sees an atomic complete. */
    final Count remoteReceived = new Count();

    /** @param bytes {@link #BYTES} of them */
    static Statistics parse(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        Statistics parsed = new Statistics();
        parsed.processors = buffer.getInt(0);
        parsed.ticksPerSecond = buffer.getInt(4);
        parsed.maxCompletions = buffer.getInt(8);
        for (int i = 0; i < CpuTimes.COUNT; i++) {
            parsed.begin[i] = buffer.getLong(BEGIN_AT + Long.BYTES * i);
            parsed.end[i] = buffer.getLong(END_AT + Long.BYTES * i);
        }
        Count[] counts = parsed.counts();
        for (int i = 0; i < counts.length; i++) {
            counts[i].read(buffer, COUNTS_AT + Count.BYTES * i);
        }
        return parsed;
    }

    byte[] toMessage() {
        ByteBuffer buffer = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(0, processors).putInt(4, ticksPerSecond).putInt(8, maxCompletions);
        for (int i = 0; i < CpuTimes.COUNT; i++) {
            buffer.putLong(BEGIN_AT + Long.BYTES * i, begin[i]).putLong(END_AT + Long.BYTES * i, end[i]);
        }
        Count[] counts = counts();
        for (int i = 0; i < counts.length; i++) {
            counts[i].write(buffer, COUNTS_AT + Count.BYTES * i);
        }
        return buffer.array();
    }

    private Count[] counts() {
        return new Count[] {sent, received, remoteSent, remoteReceived};
    }

    /** Records the number of completions polled at once. */
    void completions(int count) {
        maxCompletions = Math.max(maxCompletions, count);
    }

    /** Ticks that passed of one of the {@link CpuTimes}. */
    long elapsed(int time) {
        return end[time] - begin[time];
    }
}
