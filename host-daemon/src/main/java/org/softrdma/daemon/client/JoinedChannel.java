// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.CompletionEventRecord;
import org.softrdma.linux.process.EventReader;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;

/** A completion channel: a pipe that names a completion queue for each event. Threads wait without a lock. */
final class JoinedChannel extends JoinedObject implements CompletionChannel {
    private static final String VERB = "get_cq_event";
    private static final ThreadLocal<MemorySegment> RECORDS =
        ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CompletionEventRecord.BYTES, Long.BYTES));

    private final EventReader reader;

    JoinedChannel(JoinedContext context, int number, EventReader reader) {
        super(context, "completion channel");
        this.reader = reader;
        created(number);
    }

    /** File of the channel, by which completion queues name it. */
    int number() {
        return handle("create_cq");
    }

    @Override
    public Context rdmaContext() {
        return joinedContext();
    }

    /** An event of a queue that was closed meanwhile is dropped. */
    @Override
    public CompletionQueue getEvent(long timeoutNs) {
        requireOpen(VERB);
        long untilNs = System.nanoTime() + Math.max(0, timeoutNs);
        MemorySegment record = RECORDS.get();
        long leftNs = timeoutNs;
        while (reader.read(record, leftNs, VERB)) {
            JoinedObject queue = joinedContext().object(record.get(AbiLayout.U64, 0));
            if (queue instanceof JoinedCompletionQueue found) {
                found.delivered();
                return found;
            }
            leftNs = timeoutNs < 0 ? timeoutNs : Math.max(0, untilNs - System.nanoTime());
        }
        return null;
    }

    @Override
    void destroy(int number) {
        try {
            joinedContext().session().close(number);
        } finally {
            reader.close();
        }
    }

    @Override
    String destroyVerb() {
        return "destroy_comp_channel";
    }
}
