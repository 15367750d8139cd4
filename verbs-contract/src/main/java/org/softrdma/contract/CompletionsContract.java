// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Completion queues, their channels and their events; asynchronous events as such. IBA vol 1 §10.8, §11.4.2, §11.6. */
public abstract class CompletionsContract extends ContractTest {
    private final WorkCompletion[] four = WorkCompletion.array(4);
    private CompletionChannel channel;

    private void write(QueuePair by, int count) {
        for (int i = 0; i < count; i++) {
            by.postSend(wr.write(0, 0).wrId(i).signaled());
        }
    }

    /**
     * Has {@code count} completions in A's queue without anybody polling it, and one more coming: a SEND that is fenced behind READs goes
     * out when they are complete, so the peer that has it knows.
     */
    private void fill(int count) {
        b.qp.postReceive(recv.begin(1));
        for (int i = 0; i < count; i++) {
            a.qp.postSend(wr.read(0, 0).wrId(i).signaled());
        }
        a.qp.postSend(wr.send().wrId(count).fence().signaled());
        await(() -> b.receives().size() == 1);
    }

    // ---- the queue ----

    @Test
    void shouldKeepWhatItWasMadeWith() {
        Context context = openContext(0);
        Object mine = new Object();
        CompletionChannel events = keep(context.createCompletionChannel());
        CompletionQueue cq = keep(context.createCq(10, mine, events, 0));
        assertSame(mine, cq.context());
        assertSame(context, cq.rdmaContext());
        assertSame(context, events.rdmaContext());
        assertTrue(cq.cqe() >= 10);
        assertNull(keep(context.createCq(1)).context());
    }

    @Test
    void shouldHandOutEachCompletionOnceAndNoMoreThanAskedFor() {
        connect();
        write(a.qp, 7);
        List<Long> ids = new ArrayList<>();
        await(() -> {
            for (int taken = a.sendCq.poll(four, 3); taken > 0; taken = a.sendCq.poll(four, 3)) {
                assertTrue(taken <= 3);
                for (int i = 0; i < taken; i++) {
                    ids.add(four[i].wrId());
                }
            }
            return ids.size() == 7;
        });
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L), ids);
        assertEquals(0, a.sendCq.poll(four));
        assertEquals(0, a.sendCq.poll(four, 0));
        refused(Errno.EINVAL, "poll_cq", () -> a.sendCq.poll(four, -1), "-1");
    }

    @Test
    void shouldServeSendsAndReceivesOfSeveralQueuePairs() {
        open();
        CompletionQueue one = keep(a.context.createCq(64));
        QueuePair first = keep(a.pd.createQp(QpInitAttributes.rc(one, a.cap)));
        QueuePair second = keep(a.pd.createQp(QpInitAttributes.rc(one, a.cap)));
        fabric().connect(first, 0, b.newQp(b.pd), 1, setup);
        fabric().connect(second, 0, b.qp, 1, setup);
        second.postReceive(recv.begin(9));
        write(first, 2);
        b.qp.postSend(wr.send());
        List<WorkCompletion> done = new ArrayList<>();
        await(() -> {
            End.drain(one, done);
            return done.size() == 3;
        });
        assertEquals(Set.of("0 " + first.qpNum(), "1 " + first.qpNum(), "9 " + second.qpNum()),
            new HashSet<>(done.stream().map(wc -> wc.wrId() + " " + wc.qpNum()).toList()));
    }

    @Test
    void shouldBePolledBySeveralThreads() throws InterruptedException {
        connect();
        write(a.qp, 60);
        WorkCompletion[] last = WorkCompletion.array(1);
        List<Long> ids = new ArrayList<>();
        await(() -> {
            // The first one shows that all are on their way; the rest is for the threads.
            if (ids.isEmpty() && a.sendCq.poll(last) == 1) {
                ids.add(last[0].wrId());
            }
            return !ids.isEmpty();
        });
        List<Thread> pollers = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            pollers.add(Thread.ofPlatform().start(() -> {
                WorkCompletion[] own = WorkCompletion.array(2);
                for (int taken = a.sendCq.poll(own); taken > 0; taken = a.sendCq.poll(own)) {
                    synchronized (ids) {
                        for (int i = 0; i < taken; i++) {
                            ids.add(own[i].wrId());
                        }
                    }
                }
            }));
        }
        for (Thread poller : pollers) {
            poller.join();
        }
        await(() -> {
            int taken = a.sendCq.poll(last);
            if (taken == 1) {
                ids.add(last[0].wrId());
            }
            return ids.size() == 60;
        });
        assertEquals(60, new HashSet<>(ids).size(), "each once");
    }

    // ---- size ----

    @Test
    @Needs(Capability.RESIZE_COMPLETION_QUEUES)
    void shouldKeepWhatItHoldsWhenResized() {
        setup.cqe = 16;
        setup.queueDepth = 128;
        connect();
        fill(5);
        assertEquals(1, a.sendCq.poll(four, 1));
        refused(Errno.EINVAL, "resize_cq", () -> a.sendCq.resize(0), "cqe 0");
        int beyond = a.context.queryDevice().maxCqe() + 1;
        refused(Errno.EINVAL, "resize_cq", () -> a.sendCq.resize(beyond), "cqe " + beyond);
        refused(Errno.EINVAL, "resize_cq", () -> a.sendCq.resize(1), "cqe 1");
        a.sendCq.resize(100);
        assertTrue(a.sendCq.cqe() >= 100);
        write(a.qp, 60);
        await(() -> a.sends().size() == 65);
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L), a.sends().subList(0, 5).stream().map(WorkCompletion::wrId).toList(), "in order");
        a.sendCq.resize(4);
        assertTrue(a.sendCq.cqe() >= 4 && a.sendCq.cqe() < 100);
        write(a.qp, 4);
        await(() -> a.sends().size() == 69);
    }

    /** On overrun, the completion is lost, and the queue and its queue pairs fail. IBA vol 1 §10.8.2.2, §11.6.3.2 */
    @Test
    @Violates("COMPLETION_QUEUE_SIZE")
    void shouldRaiseAnErrorWhenItOverruns() {
        setup.cqe = 2;
        setup.queueDepth = 256;
        connect();
        int room = a.sendCq.cqe();
        write(a.qp, room + 1);
        AsyncEvent[] event = new AsyncEvent[1];
        await(() -> {
            event[0] = a.context.getAsyncEvent(0);
            return event[0] != null;
        });
        assertEquals(AsyncEventType.CQ_ERR, event[0].type());
        assertSame(a.sendCq, event[0].element());
        event[0].ack();
        await(() -> a.qp.state() == QpState.ERR);
        assertEquals(room, a.sends().size(), "what it held can still be taken");
        assertTrue(a.sends().stream().allMatch(WorkCompletion::isSuccess));
    }

    /** A completion queue that is filled to the last entry still works. */
    @Test
    void shouldHoldAsManyAsItSays() {
        setup.cqe = 4;
        setup.queueDepth = 256;
        connect();
        int room = a.sendCq.cqe();
        fill(room - 1);
        await(() -> a.sends().size() == room);
        assertEquals(room - 1, a.sends().getLast().wrId());
        assertEquals(List.of(), a.events());
        assertEquals(QpState.RTS, a.qp.state());
    }

    // ---- arming ----

    private void awaitReceives(CompletionQueue cq, List<WorkCompletion> into, int count) {
        await(count + " receives", () -> {
            End.drain(cq, into);
            return into.size() >= count;
        });
        assertEquals(count, into.size());
    }

    /**
     * Creates a connection whose receives at B complete on {@code cq}.
     *
     * @return its end at A
     */
    private QueuePair senderTo(CompletionQueue cq) {
        QueuePair ofA = a.newQp(a.pd);
        QpCapabilities cap = new QpCapabilities(64, 64, 1, 1, 0);
        QueuePair ofB = keep(b.pd.createQp(new QpInitAttributes(QpType.RC, b.sendCq, cq, null, cap, false)));
        fabric().connect(ofA, 0, ofB, 1, setup);
        for (int i = 0; i < 20; i++) {
            ofB.postReceive(recv.begin(i));
        }
        return ofA;
    }

    /** Creates both ends, and a completion queue at B with the channel. */
    private CompletionQueue withChannel() {
        open();
        channel = keep(b.context.createCompletionChannel());
        return keep(b.context.createCq(64, null, channel, 0));
    }

    private void awaitEvent(CompletionQueue of) {
        CompletionQueue[] got = new CompletionQueue[1];
        await("an event", () -> {
            got[0] = channel.getEvent(0);
            return got[0] != null;
        });
        assertSame(of, got[0]);
        of.ackEvents(1);
    }

    @Test
    void shouldAnnounceOneCompletionAfterArming() {
        CompletionQueue cq = withChannel();
        QueuePair sender = senderTo(cq);
        List<WorkCompletion> received = new ArrayList<>();
        sender.postSend(wr.send());
        awaitReceives(cq, received, 1);
        assertNull(channel.getEvent(0), "not armed");
        cq.requestNotify();
        assertNull(channel.getEvent(0), "what came before does not count");
        sender.postSend(wr.send());
        awaitEvent(cq);
        awaitReceives(cq, received, 2);
        sender.postSend(wr.send());
        sender.postSend(wr.send());
        awaitReceives(cq, received, 4);
        assertNull(channel.getEvent(0), "armed once, announced once");
        cq.requestNotify();
        sender.postSend(wr.send());
        awaitEvent(cq);
    }

    /** Completions from before arming raise no event, even if they were not polled yet. */
    @Test
    void shouldNotAnnounceWhatWasThereBefore() {
        CompletionQueue cq = withChannel();
        QueuePair sender = senderTo(cq);
        sender.postSend(wr.send().wrId(1).signaled());
        assertEquals(WcStatus.SUCCESS, outcome(sender, 0));
        cq.requestNotify();
        assertNull(channel.getEvent(0));
        sender.postSend(wr.send());
        awaitEvent(cq);
        awaitReceives(cq, new ArrayList<>(), 2);
    }

    @Test
    void shouldAnnounceSolicitedReceivesOnlyWhenAskedSo() {
        CompletionQueue cq = withChannel();
        QueuePair sender = senderTo(cq);
        List<WorkCompletion> received = new ArrayList<>();
        cq.requestNotifySolicited();
        sender.postSend(wr.send());
        sender.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[0])));
        awaitReceives(cq, received, 2);
        assertNull(channel.getEvent(0));
        sender.postSend(wr.send().solicited());
        awaitEvent(cq);
        awaitReceives(cq, received, 3);
        sender.postSend(wr.send().solicited());
        awaitReceives(cq, received, 4);
        assertNull(channel.getEvent(0), "not armed any more");
    }

    @Test
    void shouldAnnounceFailuresAsSolicited() {
        CompletionQueue cq = withChannel();
        QueuePair sender = senderTo(cq);
        cq.requestNotifySolicited();
        // Longer than the receive.
        sender.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])));
        awaitEvent(cq);
        await(() -> !b.events().isEmpty());
    }

    @Test
    @Needs(Capability.ACKNOWLEDGEMENTS)
    void shouldAnnounceFailedSendsAsSolicitedAndNoOthers() {
        open();
        channel = keep(a.context.createCompletionChannel());
        CompletionQueue cq = keep(a.context.createCq(64, null, channel, 0));
        QueuePair qp = keep(a.pd.createQp(QpInitAttributes.rc(cq, a.cap)));
        fabric().connect(qp, 0, b.qp, 1, setup);
        cq.requestNotifySolicited();
        qp.postSend(wr.write(0, 0).signaled());
        await(() -> cq.poll(four) == 1);
        assertNull(channel.getEvent(0));
        qp.postSend(wr.write(1, 0x77777700).inlineData(MemorySegment.ofArray(new byte[1])));
        awaitEvent(cq);
    }

    @Test
    void shouldNotWeakenWhatIsArmed() {
        CompletionQueue cq = withChannel();
        QueuePair sender = senderTo(cq);
        cq.requestNotify();
        cq.requestNotifySolicited();
        sender.postSend(wr.send());
        awaitEvent(cq);
        cq.requestNotifySolicited();
        cq.requestNotify();
        sender.postSend(wr.send());
        awaitEvent(cq);
    }

    @Test
    void shouldAnnounceSendCompletions() {
        open();
        channel = keep(a.context.createCompletionChannel());
        CompletionQueue cq = keep(a.context.createCq(64, null, channel, 0));
        QueuePair qp = keep(a.pd.createQp(QpInitAttributes.rc(cq, a.cap)));
        fabric().connect(qp, 0, b.qp, 1, setup);
        cq.requestNotify();
        write(qp, 1);
        awaitEvent(cq);
        assertEquals(1, cq.poll(four));
    }

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldAnnounceDatagrams() {
        setup.type = QpType.UD;
        CompletionQueue cq = withChannel();
        QueuePair receiver = keep(b.pd.createQp(new QpInitAttributes(QpType.UD, b.sendCq, cq, null, b.cap, false)));
        fabric().connect(a.qp, 0, receiver, 1, setup);
        for (int i = 0; i < 2; i++) {
            receiver.postReceive(recv.begin(i).element(b.memory(40, End.WRITABLE), 0, 40));
        }
        var handle = keep(a.pd.createAh(fabric().way(0, 1)));
        cq.requestNotifySolicited();
        a.qp.postSend(wr.send().to(handle, receiver.qpNum(), setup.qkey));
        a.qp.postSend(wr.send().to(handle, receiver.qpNum(), setup.qkey).solicited());
        awaitEvent(cq);
        awaitReceives(cq, new ArrayList<>(), 2);
    }

    /** The usual loop of a program (arm, poll until empty, wait) misses no completion. */
    @Test
    void shouldLoseNothingBetweenArmingAndPolling() {
        CompletionQueue cq = withChannel();
        QueuePair sender = senderTo(cq);
        List<WorkCompletion> received = new ArrayList<>();
        cq.requestNotify();
        for (int i = 0; i < 20; i++) {
            sender.postSend(wr.send());
        }
        while (received.size() < 20) {
            awaitEvent(cq);
            cq.requestNotify();
            End.drain(cq, received);
        }
        assertEquals(20, received.size());
        // The last arming may or may not have raised an event by now.
        while (channel.getEvent(0) != null) {
            cq.ackEvents(1);
        }
    }

    // ---- channels ----

    @Test
    void shouldServeSeveralQueuesOnOneChannelAndSeveralChannels() {
        CompletionQueue first = withChannel();
        CompletionQueue second = keep(b.context.createCq(64, "second", channel, 0));
        CompletionChannel otherChannel = keep(b.context.createCompletionChannel());
        CompletionQueue third = keep(b.context.createCq(64, null, otherChannel, 0));
        CompletionQueue fourth = keep(b.context.createCq(64));
        List<CompletionQueue> all = List.of(first, second, third, fourth);
        List<QueuePair> senders = all.stream().map(this::senderTo).toList();
        all.forEach(CompletionQueue::requestNotify);
        senders.forEach(sender -> sender.postSend(wr.send()));
        Set<CompletionQueue> announced = new HashSet<>();
        await(() -> {
            CompletionQueue got = channel.getEvent(0);
            if (got != null) {
                got.ackEvents(1);
                announced.add(got);
            }
            return announced.size() == 2;
        });
        assertEquals(Set.of(first, second), announced);
        CompletionQueue[] other = new CompletionQueue[1];
        await(() -> {
            other[0] = otherChannel.getEvent(0);
            return other[0] != null;
        });
        assertSame(third, other[0]);
        third.ackEvents(1);
        awaitReceives(fourth, new ArrayList<>(), 1);
        assertNull(channel.getEvent(0));
        assertNull(otherChannel.getEvent(0));
    }

    @Test
    void shouldReturnWithoutAnEventWhenTheTimeIsOver() {
        withChannel();
        assertNull(channel.getEvent(0));
        assertNull(channel.getEvent(1000));
        assertNull(b.context.getAsyncEvent(0));
        assertNull(b.context.getAsyncEvent(1000));
    }

    @Test
    void shouldSayThatTheWaitingThreadWasInterrupted() {
        withChannel();
        Thread.currentThread().interrupt();
        refused(Errno.EINTR, "get_async_event", () -> b.context.getAsyncEvent(-1));
        assertTrue(Thread.interrupted(), "the thread still is");
        Thread.currentThread().interrupt();
        refused(Errno.EINTR, "get_cq_event", () -> channel.getEvent(-1));
        assertTrue(Thread.interrupted());
    }

    /** Closing waits until each delivered event is acknowledged. */
    @Test
    @Violates("UNACKNOWLEDGED_EVENT")
    void shouldWaitForItsEventsToBeAcknowledgedBeforeItCloses() throws InterruptedException {
        CompletionQueue cq = withChannel();
        QueuePair ofB = keep(b.pd.createQp(new QpInitAttributes(QpType.RC, b.sendCq, cq, null, b.cap, false)));
        fabric().connect(a.qp, 0, ofB, 1, setup);
        for (int i = 0; i < 2; i++) {
            ofB.postReceive(recv.begin(i));
            cq.requestNotify();
            a.qp.postSend(wr.send());
            await(() -> channel.getEvent(0) == cq);
        }
        ofB.close();
        Thread closer = Thread.ofPlatform().start(cq::close);
        awaitWaiting(closer);
        cq.ackEvents(1);
        awaitWaiting(closer);
        cq.ackEvents(1);
        closer.join();
    }

    @Test
    void shouldWaitForAsynchronousEventsToBeAcknowledgedBeforeAnObjectCloses() throws InterruptedException {
        connect();
        // A SEND that is longer than the receive breaks B's queue pair.
        b.qp.postReceive(recv.begin(1));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])));
        AsyncEvent[] event = new AsyncEvent[1];
        await(() -> {
            event[0] = b.context.getAsyncEvent(0);
            return event[0] != null;
        });
        assertSame(b.qp, event[0].element());
        assertEquals(0, event[0].port());
        Thread closer = Thread.ofPlatform().start(b.qp::close);
        awaitWaiting(closer);
        event[0].ack();
        closer.join();
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(thread.isAlive(), "it should wait");
            Thread.onSpinWait();
        }
        assertFalse(thread.getState() == Thread.State.TERMINATED);
    }

    /** Each context receives the events of its own objects only. */
    @Test
    @Needs(Capability.ACKNOWLEDGEMENTS)
    void shouldDeliverEventsToTheContextOfTheirObject() {
        connect();
        Context other = openContext(1);
        b.qp.postReceive(recv.begin(1));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])));
        await(() -> !b.events().isEmpty());
        assertEquals(List.of(AsyncEventType.QP_REQ_ERR), b.events());
        assertNull(other.getAsyncEvent(0));
        assertEquals(List.of(), a.events());
    }
}
