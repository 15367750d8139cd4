// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.softrdma.device.sim.Simulation;
import org.softrdma.siw.SimulatedSiw;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WorkCompletion;

/** One end of a connection: a device with one queue pair, and what its application has received. */
final class IwarpEnd {
    private static final int DEPTH = 64;
    private static final int SGES = 4;
    private static final int CQE = 512;
    private static final int INLINE = 64;

    final String name;
    final Context context;
    final ProtectionDomain pd;
    final ProtectionDomain otherPd;
    final QueuePair qp;
    private final CompletionQueue sendCq;
    private final CompletionQueue recvCq;
    private final CompletionChannel channel;
    private final SharedReceiveQueue srq;
    private final List<WorkCompletion> sends = new ArrayList<>();
    private final List<WorkCompletion> receives = new ArrayList<>();
    private final Set<AsyncEventType> events = EnumSet.noneOf(AsyncEventType.class);
    /** Receives since the queue was armed. */
    private int sinceArmed;
    private int keptByResizes;
    boolean destroyed;

    IwarpEnd(String name, Simulation simulation, RandomGenerator random, boolean shared) {
        this.name = name;
        context = SimulatedSiw.open(simulation, random);
        pd = context.allocatePd();
        otherPd = context.allocatePd();
        channel = context.createCompletionChannel();
        sendCq = context.createCq(CQE);
        recvCq = context.createCq(CQE, null, channel, 0);
        srq = shared ? pd.createSrq(DEPTH, SGES, 0) : null;
        qp = pd.createQp(new QpInitAttributes(QpType.RC, sendCq, recvCq, srq, new QpCapabilities(DEPTH, DEPTH, SGES, SGES, INLINE), false));
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        recvCq.requestNotifySolicited();
    }

    SharedReceiveQueue srq() {
        return srq;
    }

    /** All completions of sends so far. */
    List<WorkCompletion> sends() {
        drain(sendCq, sends);
        return sends;
    }

    /** All completions of receives so far. */
    List<WorkCompletion> receives() {
        drain(recvCq, receives);
        return receives;
    }

    private static void drain(CompletionQueue cq, List<WorkCompletion> into) {
        WorkCompletion[] one = WorkCompletion.array(1);
        while (cq.poll(one) == 1) {
            into.add(one[0]);
            one = WorkCompletion.array(1);
        }
    }

    /** Resizes both completion queues, with what they hold and armed as they are. */
    void resizeQueues(RandomGenerator random) {
        int before = sends.size() + receives.size();
        sendCq.resize(DEPTH + random.nextInt(CQE));
        recvCq.resize(DEPTH + random.nextInt(CQE));
        keptByResizes += sends().size() + receives().size() - before;
    }

    /** Completions that were in the queues when these were resized. */
    int keptByResizes() {
        return keptByResizes;
    }

    /**
     * Returns whether the completion queue's event is there, and arms the queue again then.
     *
     * @param due whether one of the receives since the queue was armed was solicited, or failed
     */
    void checkEvent(boolean due) {
        boolean raised = channel.getEvent(0) != null;
        if (raised != due) {
            throw new AssertionError(name + (raised ? ": event without a solicited message" : ": no event for a solicited message"));
        }
        if (raised) {
            recvCq.ackEvents(1);
            recvCq.requestNotifySolicited();
            sinceArmed = receives.size();
        }
    }

    /** Number of receives before the queue was armed. */
    int receivesBeforeArmed() {
        return sinceArmed;
    }

    /** Asynchronous events so far; each type comes at most once. */
    Set<AsyncEventType> events() {
        for (AsyncEvent event = context.getAsyncEvent(0); event != null; event = context.getAsyncEvent(0)) {
            if (!events.add(event.type())) {
                throw new AssertionError(name + ": " + event.type() + " came twice");
            }
            event.ack();
        }
        return events;
    }

    boolean isOver() {
        return destroyed || qp.state() == QpState.ERR;
    }

    void destroy() {
        if (!destroyed) {
            destroyed = true;
            qp.close();
        }
    }

    long counter(String counter) {
        return context.counters().get(counter);
    }

    /** Destroys all but memory: nothing may be held back. */
    void close() {
        destroy();
        if (srq != null) {
            srq.close();
        }
        sendCq.close();
        recvCq.close();
        channel.close();
        otherPd.close();
        pd.close();
        context.close();
    }
}
