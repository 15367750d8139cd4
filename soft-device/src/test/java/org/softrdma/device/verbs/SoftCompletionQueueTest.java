// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

class SoftCompletionQueueTest {
    private static final long PATIENCE_NS = 20_000_000_000L;

    private final FakeContext context = new FakeContext();
    private final CompletionChannel channel = context.createCompletionChannel();
    private final SoftCompletionQueue cq = queue(4);
    private final WorkCompletion[] one = WorkCompletion.array(1);

    private SoftCompletionQueue queue(int cqe) {
        return (SoftCompletionQueue) context.createCq(cqe, "mine", channel, 0);
    }

    private boolean push(SoftCompletionQueue queue, long wrId, WcStatus status, WcOpcode opcode, boolean solicited) {
        return queue.push(wrId, status, opcode, 0, 0, 0x11, 0, 0, solicited);
    }

    private void receive(boolean solicited) {
        assertTrue(push(cq, 1, WcStatus.SUCCESS, WcOpcode.RECV, solicited));
        assertEquals(1, cq.poll(one));
    }

    private void fail() {
        assertTrue(push(cq, 1, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, false));
        assertEquals(1, cq.poll(one));
    }

    private void assertEvent() {
        assertSame(cq, channel.getEvent(0));
        cq.ackEvents(1);
        assertNull(channel.getEvent(0), "one event, not two");
    }

    private void assertNoEvent() {
        assertNull(channel.getEvent(0));
    }

    @Test
    void shouldKeepWhatItWasCreatedWith() {
        assertEquals("mine", cq.context());
        assertSame(context, cq.rdmaContext());
        assertEquals(4, cq.cqe());
    }

    /** Without a limit, so that it does not wake while nothing happens; a thread that only naps is in another state. */
    @Test
    void shouldSleepUntilAnEventWhileAnotherThreadDrivesTheDevice() throws InterruptedException {
        CompletionChannel silent = context.createCompletionChannel();
        Thread driver = Thread.ofPlatform().daemon().start(() -> silent.getEvent(-1));
        awaitState(driver, Thread.State.TIMED_WAITING);
        AtomicReference<CompletionQueue> received = new AtomicReference<>();
        Thread waiter = Thread.ofPlatform().daemon().start(() -> received.set(channel.getEvent(-1)));
        awaitState(waiter, Thread.State.WAITING);
        cq.requestNotify();
        assertTrue(push(cq, 1, WcStatus.SUCCESS, WcOpcode.RECV, false));
        waiter.join(PATIENCE_NS / 1_000_000);
        assertSame(cq, received.get());
        cq.ackEvents(1);
        driver.interrupt();
        driver.join(PATIENCE_NS / 1_000_000);
    }

    private static void awaitState(Thread thread, Thread.State state) {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        while (thread.getState() != state) {
            assertTrue(thread.isAlive() && System.nanoTime() - untilNs < 0, () -> "the thread is " + thread.getState());
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldRefuseSizesAndVectorsOutOfRange() {
        for (int cqe : new int[] {0, -1, FakeContext.MAX_CQE + 1}) {
            VerbsException refused = assertThrows(VerbsException.class, () -> context.createCq(cqe));
            assertEquals(Errno.EINVAL, refused.errno());
            assertTrue(refused.getMessage().contains("cqe " + cqe + " is not in 1..1000"), refused.getMessage());
        }
        context.createCq(1).close();
        context.createCq(FakeContext.MAX_CQE).close();
        for (int vector : new int[] {-1, 2}) {
            VerbsException refused = assertThrows(VerbsException.class, () -> context.createCq(1, null, null, vector));
            assertTrue(refused.getMessage().contains("comp_vector " + vector + " is not in 0..1"), refused.getMessage());
        }
        FakeContext other = new FakeContext();
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> other.createCq(1, null, channel, 0)).errno());
        CompletionChannel closed = context.createCompletionChannel();
        closed.close();
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> context.createCq(1, null, closed, 0)).errno());
    }

    @Test
    void shouldRefuseANegativeNumberOfCompletions() {
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> cq.poll(one, -1)).errno());
        push(cq, 5, WcStatus.SUCCESS, WcOpcode.SEND, false);
        assertThrows(VerbsException.class, () -> cq.poll(one, -1));
        assertEquals(0, cq.poll(one, 0));
        assertEquals(1, cq.poll(one, 7));
        assertEquals(5, one[0].wrId());
        assertEquals(0, cq.poll(one), "delivered once");
    }

    @Test
    void shouldDriveTheDeviceWhenThereIsNothingToTake() {
        AtomicReference<SoftCompletionQueue> driven = new AtomicReference<>();
        FakeContext busy = new FakeContext(() -> {
            push(driven.get(), 9, WcStatus.SUCCESS, WcOpcode.SEND, false);
            return 1;
        });
        driven.set((SoftCompletionQueue) busy.createCq(4));
        assertEquals(1, driven.get().poll(one));
        assertEquals(9, one[0].wrId());
    }

    // ---- arming: one-shot, for later completions ----

    @Test
    void shouldRaiseNothingUnarmed() {
        receive(true);
        fail();
        assertNoEvent();
    }

    @Test
    void shouldRaiseOneEventPerArming() {
        cq.requestNotify();
        receive(false);
        receive(false);
        assertEvent();
        receive(false);
        assertNoEvent();
        cq.requestNotify();
        assertNoEvent();
        receive(false);
        assertEvent();
    }

    @Test
    void shouldNotRaiseForCompletionsThatWereThereBefore() {
        assertTrue(push(cq, 1, WcStatus.SUCCESS, WcOpcode.RECV, true));
        cq.requestNotify();
        assertNoEvent();
        assertEquals(1, cq.poll(one), "programs must poll after arming");
    }

    @Test
    void shouldWaitForASolicitedOneOrAFailure() {
        cq.requestNotifySolicited();
        receive(false);
        assertNoEvent();
        receive(true);
        assertEvent();
        receive(true);
        assertNoEvent();

        cq.requestNotifySolicited();
        receive(false);
        fail();
        assertEvent();
    }

    @Test
    void shouldLetAnyOverrideSolicitedAndNotTheOtherWayRound() {
        cq.requestNotifySolicited();
        cq.requestNotify();
        receive(false);
        assertEvent();

        cq.requestNotify();
        cq.requestNotifySolicited();
        receive(false);
        assertEvent();

        cq.requestNotifySolicited();
        receive(false);
        assertNoEvent();
    }

    /**
     * Two threads arm at once, one of them for any completion: that arming must not be replaced by the narrower one. Arming is a read and a
     * write, which the owner's lock keeps together; it also keeps them apart from the owner's, which disarms.
     */
    @Test
    void shouldKeepTheWiderOfTwoArmingsAtOnce() throws InterruptedException {
        int rounds = 2_000;
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger armed = new AtomicInteger();
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            for (int round = 1; round <= rounds; round++) {
                while (begun.get() < round) {
                    Thread.onSpinWait();
                }
                cq.requestNotifySolicited();
                armed.set(round);
            }
        });
        for (int round = 1; round <= rounds; round++) {
            begun.set(round);
            for (int spin = round % 50; spin > 0; spin--) {
                Thread.onSpinWait();
            }
            cq.requestNotify();
            while (armed.get() < round) {
                Thread.yield();
            }
            receive(false);
            assertEvent();
        }
        other.join();
    }

    @Test
    void shouldArmAQueueWithoutChannelToNoEffect() {
        SoftCompletionQueue plain = (SoftCompletionQueue) context.createCq(2);
        plain.requestNotify();
        plain.requestNotifySolicited();
        assertTrue(push(plain, 1, WcStatus.SUCCESS, WcOpcode.SEND, true));
        plain.close();
    }

    @Test
    void shouldNameTheQueueThatHasSomething() {
        SoftCompletionQueue other = queue(4);
        cq.requestNotify();
        other.requestNotify();
        push(other, 1, WcStatus.SUCCESS, WcOpcode.SEND, false);
        push(cq, 1, WcStatus.SUCCESS, WcOpcode.SEND, false);
        assertSame(other, channel.getEvent(0));
        assertSame(cq, channel.getEvent(-1));
    }

    // ---- overrun ----

    @Test
    void shouldSayWhenACompletionWasAdded() {
        context.nowNs = 1234;
        assertTrue(push(cq, 1, WcStatus.SUCCESS, WcOpcode.SEND, false));
        context.nowNs = 1300;
        assertTrue(push(cq, 2, WcStatus.SUCCESS, WcOpcode.SEND, false));
        CompletionReader reader = cq.reader();
        assertTrue(reader.startPoll());
        assertEquals(1234, reader.timestampNs());
        assertTrue(reader.nextPoll());
        assertEquals(1300, reader.timestampNs());
        reader.endPoll();
        assertFalse(reader.startPoll());
    }

    @Test
    void shouldTakeOutOnlyWhatWasRead() {
        for (int i = 0; i < 4; i++) {
            assertTrue(push(cq, i, WcStatus.SUCCESS, WcOpcode.SEND, false));
        }
        CompletionReader reader = cq.reader();
        assertTrue(reader.startPoll() && reader.nextPoll());
        reader.endPoll();
        assertEquals(1, cq.poll(one));
        assertEquals(2, one[0].wrId());
    }

    @Test
    void shouldKeepOtherPollersOutWhileSomeoneReads() {
        assertTrue(push(cq, 1, WcStatus.SUCCESS, WcOpcode.SEND, false));
        assertTrue(push(cq, 2, WcStatus.SUCCESS, WcOpcode.SEND, false));
        CompletionReader reader = cq.reader();
        assertTrue(reader.startPoll());
        WorkCompletion[] theirs = WorkCompletion.array(1);
        Waiting poller = Waiting.start(() -> cq.poll(theirs)).assertWaits();
        reader.endPoll();
        poller.assertReturns();
        assertEquals(2, theirs[0].wrId());
    }

    @Test
    void shouldRefuseReadersOutOfTurn() {
        CompletionReader reader = cq.reader();
        assertTrue(push(cq, 1, WcStatus.SUCCESS, WcOpcode.SEND, false));
        assertRefused("next_poll", reader::nextPoll);
        assertRefused("end_poll", reader::endPoll);
        assertRefused("wc_read", reader::wrId);
        assertTrue(reader.startPoll());
        assertRefused("start_poll", () -> cq.reader().startPoll());
        assertRefused("poll_cq", () -> cq.poll(one));
        assertRefused("resize_cq", () -> cq.resize(8));
        reader.endPoll();
        assertRefused("wc_read", reader::status);
    }

    private static void assertRefused(String verb, Executable call) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(Errno.EINVAL, refused.errno());
        assertEquals(verb, refused.verb());
    }

    @Test
    void shouldChangeItsSize() {
        for (int i = 0; i < 3; i++) {
            assertTrue(push(cq, i, WcStatus.SUCCESS, WcOpcode.SEND, false));
        }
        assertRefused("resize_cq", () -> cq.resize(2));
        assertRefused("resize_cq", () -> cq.resize(0));
        assertRefused("resize_cq", () -> cq.resize(FakeContext.MAX_CQE + 1));
        assertEquals(4, cq.cqe());
        cq.resize(3);
        assertEquals(3, cq.cqe());
        cq.resize(5);
        assertTrue(push(cq, 3, WcStatus.SUCCESS, WcOpcode.SEND, false) && push(cq, 4, WcStatus.SUCCESS, WcOpcode.SEND, false));
        assertNull(context.getAsyncEvent(0));
        for (int i = 0; i < 5; i++) {
            assertEquals(1, cq.poll(one));
            assertEquals(i, one[0].wrId());
        }
        cq.close();
        assertRefused("resize_cq", () -> cq.resize(8));
    }

    @Test
    void shouldStayArmedAsItWasWhenResized() {
        cq.requestNotifySolicited();
        cq.resize(8);
        push(cq, 1, WcStatus.SUCCESS, WcOpcode.RECV, false);
        assertNull(channel.getEvent(0), "not solicited");
        push(cq, 2, WcStatus.SUCCESS, WcOpcode.RECV, true);
        assertSame(cq, channel.getEvent(0));
        cq.ackEvents(1);
    }

    /** Pollers, a pusher and a thread that keeps changing the size run concurrently. */
    @Test
    void shouldLoseNothingWhileItIsResized() {
        int count = 5_000;
        SoftCompletionQueue queue = queue(64);
        Waiting pusher = Waiting.start(() -> {
            for (int i = 0; i < count; ) {
                context.agent().lock().lock();
                try {
                    if (queue.held() < 60) {
                        assertTrue(push(queue, i++, WcStatus.SUCCESS, WcOpcode.SEND, false));
                    }
                } finally {
                    context.agent().lock().unlock();
                }
            }
        });
        CompletionReader reader = queue.reader();
        for (int next = 0; next < count; ) {
            if (reader.startPoll()) {
                do {
                    assertEquals(next++, reader.wrId());
                } while (reader.nextPoll());
                reader.endPoll();
            }
            queue.resize(64 + next % 7);
        }
        pusher.assertReturns();
        assertNull(context.getAsyncEvent(0));
    }

    @Test
    void shouldReportAnOverrunOnceAndStayDead() {
        for (int i = 0; i < 4; i++) {
            assertTrue(push(cq, i, WcStatus.SUCCESS, WcOpcode.SEND, false));
        }
        assertNull(context.getAsyncEvent(0));
        assertFalse(push(cq, 4, WcStatus.SUCCESS, WcOpcode.SEND, false));
        assertFalse(push(cq, 5, WcStatus.SUCCESS, WcOpcode.SEND, false));
        AsyncEvent event = context.getAsyncEvent(0);
        assertEquals(AsyncEventType.CQ_ERR, event.type());
        assertSame(cq, event.element());
        assertEquals(0, event.port());
        event.ack();
        assertNull(context.getAsyncEvent(0), "once");
        WorkCompletion[] all = WorkCompletion.array(9);
        assertEquals(4, cq.poll(all), "completions before the overrun are kept");
        assertFalse(push(cq, 6, WcStatus.SUCCESS, WcOpcode.SEND, false), "the overrun is permanent");
        assertEquals(0, cq.poll(all));
        String late = waitedInVain();
        assertTrue(late.contains("0 of 1 came before; the queue has overrun: "), late);
    }

    // ---- waiting in vain ----

    private String waitedInVain() {
        VerbsException late = assertThrows(VerbsException.class, () -> cq.await(Duration.ofNanos(1)));
        assertEquals(Errno.ETIMEDOUT, late.errno());
        return late.getMessage();
    }

    @Test
    void shouldNameTheQueuePairsThatAreAwaitedInVain() {
        assertTrue(waitedInVain().endsWith("; no queue pair completes into this queue"), waitedInVain());
        ProtectionDomain pd = context.allocatePd();
        SoftCompletionQueue other = queue(4);
        QueuePair sender = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.ofDepth(4)).withRecvCq(other));
        pd.createQp(QpInitAttributes.rc(other, QpCapabilities.ofDepth(4)));

        assertTrue(waitedInVain().endsWith("came before; " + sender + ": no sends outstanding"), waitedInVain());
        for (int i = 0; i < 4; i++) {
            pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.ofDepth(4)));
        }
        assertTrue(waitedInVain().contains("no sends and no receives outstanding; "), waitedInVain());
        assertTrue(waitedInVain().endsWith("; 2 more queue pairs"), waitedInVain());
    }

    // ---- closing ----

    @Test
    void shouldWaitWithClosingUntilItsEventsAreAcknowledged() {
        for (int i = 0; i < 3; i++) {
            cq.requestNotify();
            receive(false);
            assertSame(cq, channel.getEvent(0));
        }
        Waiting close = Waiting.start(cq::close).assertWaits();
        cq.ackEvents(2);
        close.assertWaits();
        cq.ackEvents(1);
        close.assertReturns();
    }

    @Test
    void shouldDropUndeliveredEventsWhenClosed() {
        cq.requestNotify();
        receive(false);
        Waiting.start(cq::close).assertReturns();
        assertNull(channel.getEvent(0), "no event of a closed queue");
    }

    @Test
    void shouldWaitForItsOverrunEventToo() {
        SoftCompletionQueue tiny = queue(1);
        push(tiny, 1, WcStatus.SUCCESS, WcOpcode.SEND, false);
        push(tiny, 2, WcStatus.SUCCESS, WcOpcode.SEND, false);
        AsyncEvent event = context.getAsyncEvent(0);
        Waiting close = Waiting.start(tiny::close).assertWaits();
        event.ack();
        close.assertReturns();
    }

    /** Races a close with getEvent: if the event was delivered before the close, the close waits for its acknowledgement. */
    @Test
    void shouldNeverReturnAClosedQueue() throws InterruptedException {
        for (int i = 0; i < 300; i++) {
            SoftCompletionQueue dying = queue(2);
            dying.requestNotify();
            push(dying, 1, WcStatus.SUCCESS, WcOpcode.SEND, false);
            AtomicBoolean gone = new AtomicBoolean();
            AtomicReference<String> wrong = new AtomicReference<>();
            Thread taker = Thread.ofPlatform().start(() -> {
                CompletionQueue got = channel.getEvent(0);
                if (got != null) {
                    if (gone.get()) {
                        wrong.set("closed before its delivered event was acknowledged");
                    }
                    got.ackEvents(1);
                }
            });
            dying.close();
            gone.set(true);
            taker.join();
            assertNull(wrong.get());
        }
    }

    @Test
    void shouldKeepAnInterruptForLaterWhileClosing() {
        cq.requestNotify();
        receive(false);
        assertSame(cq, channel.getEvent(0));
        AtomicBoolean interrupted = new AtomicBoolean();
        Waiting close = Waiting.start(() -> {
            cq.close();
            interrupted.set(Thread.interrupted());
        }).assertWaits();
        close.thread().interrupt();
        cq.ackEvents(1);
        close.assertReturns();
        assertTrue(interrupted.get());
    }

    // ---- waiting for events ----

    @Test
    void shouldWaitForAnEventAsLongAsAsked() {
        assertNull(channel.getEvent(0));
        long startNs = System.nanoTime();
        assertNull(channel.getEvent(2_000_000));
        assertTrue(System.nanoTime() - startNs >= 2_000_000);
        AtomicReference<CompletionQueue> got = new AtomicReference<>();
        Waiting waiting = Waiting.start(() -> got.set(channel.getEvent(-1))).assertWaits();
        cq.requestNotify();
        receive(false);
        waiting.assertReturns();
        assertSame(cq, got.get());
    }

    @Test
    void shouldAnswerEintrWhenTheWaitingThreadIsInterrupted() {
        Waiting waiting = Waiting.start(() -> channel.getEvent(-1)).assertWaits();
        waiting.thread().interrupt();
        assertEquals("get_cq_event", waiting.assertThrows(Errno.EINTR).verb());
    }
}
