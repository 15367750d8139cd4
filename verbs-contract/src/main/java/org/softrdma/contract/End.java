// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** One end of a test: its own context with a queue pair and the objects the queue pair needs, all closed after the test. */
final class End {
    /** Access rights that every device supports. */
    static final int WRITABLE = AccessFlags.LOCAL_WRITE;
    static final int ALL_REMOTE = WRITABLE | AccessFlags.REMOTE_ANY;

    final int device;
    final Context context;
    final ProtectionDomain pd;
    final CompletionQueue sendCq;
    final CompletionQueue recvCq;
    final SharedReceiveQueue srq;
    final QueuePair qp;
    final QpCapabilities cap;

    private final ContractTest test;
    private final List<WorkCompletion> sendDone = new ArrayList<>();
    private final List<WorkCompletion> recvDone = new ArrayList<>();
    private final List<AsyncEventType> raised = new ArrayList<>();

    End(ContractTest test, int device) {
        this(test, device, test.openContext(device));
    }

    private End(ContractTest test, int device, Context context) {
        this.test = test;
        this.device = device;
        this.context = context;
        Setup setup = test.setup;
        pd = test.keep(context.allocatePd());
        sendCq = test.keep(context.createCq(setup.cqe));
        recvCq = test.keep(context.createCq(setup.cqe));
        srq = setup.srqDepth == 0 ? null : test.keep(pd.createSrq(setup.srqDepth, setup.maxSge, 0));
        cap = new QpCapabilities(setup.queueDepth, setup.queueDepth, setup.maxSge, setup.maxSge, setup.maxInline);
        qp = newQp(pd);
    }

    /** Creates a further queue pair like {@link #qp}, not connected. */
    QueuePair newQp(ProtectionDomain in) {
        return test.keep(in.createQp(new QpInitAttributes(test.setup.type, sendCq, recvCq, srq, cap, test.setup.signalAll)));
    }

    MemoryRegion memory(long bytes, int access) {
        return register(pd, Arena.ofAuto().allocate(bytes, 64), access);
    }

    /** Registers memory with all remote rights. */
    MemoryRegion memory(byte[] content) {
        MemoryRegion region = memory(Math.max(8, content.length), ALL_REMOTE);
        MemorySegment.copy(content, 0, region.memory(), ValueLayout.JAVA_BYTE, 0, content.length);
        return region;
    }

    MemoryRegion register(ProtectionDomain in, MemorySegment memory, int access) {
        return test.keep(in.register(memory, access));
    }

    MemoryWindow window(MemoryWindow.Type type) {
        return test.keep(pd.allocateMw(type));
    }

    static byte[] content(MemoryRegion region, long offset, int length) {
        return region.memory().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Returns the completions of the send completion queue so far. */
    List<WorkCompletion> sends() {
        drain(sendCq, sendDone);
        return sendDone;
    }

    List<WorkCompletion> receives() {
        drain(recvCq, recvDone);
        return recvDone;
    }

    List<WcStatus> sendStatuses() {
        return sends().stream().map(WorkCompletion::status).toList();
    }

    List<WcStatus> receiveStatuses() {
        return receives().stream().map(WorkCompletion::status).toList();
    }

    /** Formats wr_id and status of each completion. */
    static List<String> brief(List<WorkCompletion> completions) {
        return completions.stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

    /** Returns the asynchronous events so far, acknowledged. */
    List<AsyncEventType> events() {
        for (AsyncEvent event = context.getAsyncEvent(0); event != null; event = context.getAsyncEvent(0)) {
            raised.add(event.type());
            event.ack();
        }
        return raised;
    }

    static void drain(CompletionQueue cq, List<WorkCompletion> into) {
        while (true) {
            WorkCompletion[] one = WorkCompletion.array(1);
            if (cq.poll(one) == 0) {
                return;
            }
            into.add(one[0]);
        }
    }

    @Override
    public String toString() {
        return "queue pair in " + qp.state() + ", sends " + sendDone + ", receives " + recvDone + ", events " + raised;
    }
}
