// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.storage.nvme.store.MemoryStore;
import org.softrdma.storage.nvme.wire.DiscoveryLog;
import org.softrdma.storage.nvme.wire.QueueRequest;

/**
 * Arbitrary capsules on an admin queue and an I/O queue. Each command has one answer, unless its queue was ended or it is an event request;
 * no receive is lost, and no access leaves the buffers or the store, which would fail.
 *
 * <p>An input is a sequence of moves: a byte that chooses the queue (bit 0, or bit 4 for the admin queue of a discovery controller), a
 * completion instead of a capsule (bits 1 and 2), or a capsule with valid flags and an address within the host's memory (bit 3); then a
 * byte of length and the bytes. Inside {@code mvn verify} the test replays its seeds (regression mode); wire-formats'
 * {@code WireFuzzTest} describes how to search.
 */
class TargetFuzzTest {
    private static final int ENTRIES = 8;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyHost(byte[] bytes) {
        new Run(ByteBuffer.wrap(bytes)).execute();
        if (QueueRequest.check(bytes) == null) {
            QueueRequest.parse(bytes);
        }
    }

    private static final class Run {
        private final ByteBuffer input;
        private final Subsystem subsystem = new Subsystem(new SubsystemSettings(Capsule.SUBSYSTEM, 2, 2, ENTRIES, 4096, 8192, 2),
            List.of(new MemoryStore(1 << 16), new MemoryStore(1 << 12)), 9, new NvmeCounters());
        private final ScriptedQueue[] queues = new ScriptedQueue[3];
        private final int[] sent = new int[3];

        Run(ByteBuffer input) {
            this.input = input;
            for (int i = 0; i < queues.length; i++) {
                queues[i] = new ScriptedQueue(subsystem, i % 2, ENTRIES);
                queues[i].readsComplete = false;
                queues[i].sendsComplete = false;
                byte[] data = Capsule.connectData(i == 1 ? 1 : 0xffff, i == 2 ? DiscoveryLog.NAME : Capsule.SUBSYSTEM,
                    Capsule.HOST);
                System.arraycopy(data, 0, queues[i].memory, 0, data.length);
            }
        }

        void execute() {
            while (input.remaining() > 2) {
                move(input.get());
            }
            for (int i = 0; i < queues.length; i++) {
                finish(queues[i], i);
            }
        }

        private void move(int move) {
            int index = (move & 16) == 0 ? move & 1 : 2;
            ScriptedQueue queue = queues[index];
            int kind = move >> 1 & 3;
            if (kind == 1) {
                queue.completeOne(true);
            } else if (kind == 2) {
                queue.completeOne(false);
            } else if (queue.receives() > 0 && !queue.ended) {
                byte[] capsule = capsule((move & 8) != 0);
                sent[index] += capsule.length < 64 ? 0 : 1;
                queue.deliver(capsule);
            }
        }

        private byte[] capsule(boolean wellFormed) {
            int length = Math.min(input.get() & 0xff, input.remaining());
            byte[] bytes = new byte[wellFormed ? Math.max(64, length) : length];
            input.get(bytes, 0, length);
            if (wellFormed) {
                bytes[1] = 0x40;
                // Addresses are within the host's memory: the peer's device checks them.
                for (int at = 27; at < 32; at++) {
                    bytes[at] = 0;
                }
                bytes[26] &= 7;
            }
            return bytes;
        }

        private void finish(ScriptedQueue queue, int index) {
            while (queue.completeOne(true) || queue.completeOne(false)) {
                // Until nothing is under way.
            }
            if (!queue.ended) {
                check(queue.receives() + queue.machine.eventRequests() == ENTRIES, "receives: " + queue.receives());
                check(index != 1 ? queue.answers.size() <= sent[index] : queue.answers.size() == sent[index], "answers: "
                    + queue.answers.size() + " for " + sent[index]);
            }
            queue.machine.onEnd();
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
