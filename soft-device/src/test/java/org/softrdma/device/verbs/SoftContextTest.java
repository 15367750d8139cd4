// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ThreadDomain;
import org.softrdma.verbs.VerbsException;

class SoftContextTest {
    private static final QpCapabilities CAP = new QpCapabilities(4, 4, 2, 2, 16);

    private final FakeContext context = new FakeContext();
    private final MemorySegment memory = Arena.ofAuto().allocate(256, 8);

    private static void assertBusy(AutoCloseable parent, String verb, String living) {
        VerbsException refused = assertThrows(VerbsException.class, parent::close);
        assertEquals(Errno.EBUSY, refused.errno());
        assertEquals(verb, refused.verb());
        assertTrue(refused.getMessage().endsWith("close these first: " + living), refused.getMessage());
    }

    private static void assertInvalid(Runnable call) {
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, call::run).errno());
    }

    @Test
    void shouldCloseFromTheLeavesToTheRoot() {
        CompletionChannel channel = context.createCompletionChannel();
        CompletionQueue sendCq = context.createCq(4, null, channel, 0);
        CompletionQueue recvCq = context.createCq(4);
        ProtectionDomain pd = context.allocatePd();
        QueuePair qp = pd.createQp(new QpInitAttributes(QpType.RC, sendCq, recvCq, null, CAP, false));
        MemoryRegion region = pd.register(memory, AccessFlags.LOCAL_WRITE);
        MemoryWindow window = pd.allocateMw(MemoryWindow.Type.TYPE_2);

        assertBusy(context, "close_device", "{completion channels=1, completion queues=2, protection domains=1}");
        assertBusy(pd, "dealloc_pd", "{memory regions=1, memory windows=1, queue pairs=1}");
        assertBusy(channel, "destroy_comp_channel", "{completion queues=1}");
        assertBusy(sendCq, "destroy_cq", "{queue pairs=1}");
        assertBusy(recvCq, "destroy_cq", "{queue pairs=1}");
        qp.close();
        assertBusy(pd, "dealloc_pd", "{memory regions=1, memory windows=1}");
        window.close();
        region.close();
        pd.close();
        assertBusy(channel, "destroy_comp_channel", "{completion queues=1}");
        sendCq.close();
        channel.close();
        assertBusy(context, "close_device", "{completion queues=1}");
        recvCq.close();
        assertEquals(0, context.released);
        context.close();
        assertEquals(1, context.released);
    }

    /** A parent domain closes after its dependents, and before the domains it was made of. */
    @Test
    void shouldCloseParentDomainsBeforeWhatTheyAreMadeOf() {
        ProtectionDomain pd = context.allocatePd();
        ThreadDomain td = context.allocateTd();
        ProtectionDomain parent = context.allocateParentDomain(pd, td);
        CompletionQueue cq = context.createCq(4, null, null, 0, parent);
        assertBusy(context, "close_device", "{completion queues=1, protection domains=1, thread domains=1}");
        assertBusy(pd, "dealloc_pd", "{parent domains=1}");
        assertBusy(td, "dealloc_td", "{parent domains=1}");
        assertBusy(parent, "dealloc_pd", "{completion queues=1}");
        assertInvalid(() -> context.allocateParentDomain(parent, null));
        cq.close();
        parent.close();
        td.close();
        assertInvalid(() -> context.allocateParentDomain(pd, td));
        pd.close();
        context.close();
        assertEquals(1, context.released);
    }

    @Test
    void shouldCountAQueueUsedForBothDirectionsTwice() {
        CompletionQueue cq = context.createCq(4);
        ProtectionDomain pd = context.allocatePd();
        QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, CAP));
        assertBusy(cq, "destroy_cq", "{queue pairs=2}");
        qp.close();
        cq.close();
        pd.close();
        context.close();
    }

    @Test
    void shouldCloseEverythingTwiceToNoEffect() {
        CompletionChannel channel = context.createCompletionChannel();
        CompletionQueue cq = context.createCq(4, null, channel, 0);
        ProtectionDomain pd = context.allocatePd();
        FakeQueuePair qp = (FakeQueuePair) pd.createQp(QpInitAttributes.rc(cq, CAP));
        MemoryRegion region = pd.register(memory, 0);
        MemoryWindow window = pd.allocateMw(MemoryWindow.Type.TYPE_2);
        for (AutoCloseable each : List.of(qp, window, region, pd, cq, channel, context)) {
            for (int times = 0; times < 2; times++) {
                try {
                    each.close();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        }
        assertEquals(1, qp.destroyed);
        assertEquals(1, context.released);
        assertEquals(0, context.memory().regionCount());
    }

    @Test
    void shouldRefuseToCreateOnWhatIsClosed() {
        CompletionQueue open = context.createCq(4);
        CompletionQueue closed = context.createCq(4);
        closed.close();
        ProtectionDomain pd = context.allocatePd();
        assertInvalid(() -> pd.createQp(QpInitAttributes.rc(closed, CAP)));
        assertInvalid(() -> pd.createQp(new QpInitAttributes(QpType.RC, open, null, null, CAP, false)));
        assertInvalid(() -> pd.createQp(QpInitAttributes.rc(new FakeContext().createCq(4), CAP)));
        pd.close();
        assertInvalid(() -> pd.createQp(QpInitAttributes.rc(open, CAP)));
        assertInvalid(() -> pd.register(memory, 0));
        assertInvalid(() -> pd.allocateMw(MemoryWindow.Type.TYPE_2));
        open.close();
        context.close();
        assertInvalid(context::allocatePd);
        assertInvalid(context::createCompletionChannel);
        assertInvalid(() -> context.createCq(1));
    }

    @Test
    void shouldNumberProtectionDomainsApart() {
        SoftProtectionDomain first = (SoftProtectionDomain) context.allocatePd();
        SoftProtectionDomain second = (SoftProtectionDomain) context.allocatePd();
        assertTrue(first.number() != second.number());
    }

    // ---- regions and windows ----

    @Test
    void shouldNameARegionsAddressesAndKeys() {
        ProtectionDomain pd = context.allocatePd();
        MemoryRegion plain = pd.register(memory, AccessFlags.LOCAL_WRITE);
        assertEquals(memory.address(), plain.address());
        assertEquals(256, plain.length());
        assertEquals(AccessFlags.LOCAL_WRITE, plain.access());
        assertSame(memory, plain.memory());
        assertSame(pd, plain.pd());
        assertEquals(0, plain.rkey(), "no key for remote access");
        MemoryRegion remote = pd.register(memory, AccessFlags.REMOTE_READ);
        assertEquals(remote.lkey(), remote.rkey());
        assertEquals(0, pd.register(memory, AccessFlags.ZERO_BASED).address());
        assertEquals(0x7000, pd.register(memory, 0x7000, 0).address());
        assertEquals(0x8000, pd.register(memory, 0x8000, AccessFlags.ZERO_BASED).address(), "reg_mr_iova names the address itself");
    }

    @Test
    void shouldRefuseAKeyOnceTheRegionIsClosed() {
        MemoryRegion region = context.allocatePd().register(memory, AccessFlags.REMOTE_READ);
        assertEquals(region.rkey(), context.memory().lookup(region.rkey()).key());
        region.close();
        assertNull(context.memory().lookup(region.rkey()));
    }

    @Test
    void shouldNotDeregisterARegionWithBoundWindows() {
        SoftProtectionDomain pd = (SoftProtectionDomain) context.allocatePd();
        MemoryRegion region = pd.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
        MemoryWindow window = pd.allocateMw(MemoryWindow.Type.TYPE_2);
        int key = MemoryWindow.nextRkey(window.rkey());
        assertTrue(context.memory().bindWindow(key, context.memory().lookup(region.lkey()), region.address(), 8, 4, 0x11));
        assertEquals(Errno.EBUSY, assertThrows(VerbsException.class, region::close).errno());
        assertEquals(8, context.memory().lookup(key).length(), "a refused change has no effect");
        window.close();
        assertNull(context.memory().lookup(key));
        region.close();
        pd.close();
    }

    // ---- asynchronous events ----

    @Test
    void shouldDeliverEventsInOrder() {
        context.raise(AsyncEventType.PORT_ERR, 1);
        context.raise(AsyncEventType.PORT_ACTIVE, 1);
        AsyncEvent first = context.getAsyncEvent(0);
        assertEquals(AsyncEventType.PORT_ERR, first.type());
        assertEquals(1, first.port());
        assertNull(first.element());
        first.ack();
        assertEquals(AsyncEventType.PORT_ACTIVE, context.getAsyncEvent(-1).type());
        assertNull(context.getAsyncEvent(0));
        assertNull(context.getAsyncEvent(1_000_000));
    }

    @Test
    void shouldWakeTheThreadThatWaits() {
        AtomicReference<AsyncEvent> got = new AtomicReference<>();
        Waiting waiting = Waiting.start(() -> got.set(context.getAsyncEvent(-1))).assertWaits();
        context.raise(AsyncEventType.GID_CHANGE, 1);
        waiting.assertReturns();
        assertEquals(AsyncEventType.GID_CHANGE, got.get().type());
        Waiting interrupted = Waiting.start(() -> context.getAsyncEvent(Waiting.PATIENCE_NS)).assertWaits();
        interrupted.thread().interrupt();
        assertEquals("get_async_event", interrupted.assertThrows(Errno.EINTR).verb());
    }

    @Test
    void shouldWaitWithDestroyingAQueuePairUntilItsEventsAreAcknowledged() {
        CompletionQueue cq = context.createCq(4);
        ProtectionDomain pd = context.allocatePd();
        FakeQueuePair qp = (FakeQueuePair) pd.createQp(QpInitAttributes.rc(cq, CAP));
        FakeQueuePair other = (FakeQueuePair) pd.createQp(QpInitAttributes.rc(cq, CAP));
        qp.raise(AsyncEventType.SQ_DRAINED);
        other.raise(AsyncEventType.QP_FATAL);
        qp.raise(AsyncEventType.QP_LAST_WQE_REACHED);
        AsyncEvent drained = context.getAsyncEvent(0);
        assertSame(qp, drained.element());
        Waiting close = Waiting.start(qp::close).assertWaits();
        assertEquals(1, qp.destroyed, "removed from the device before the wait");
        assertBusy(pd, "dealloc_pd", "{queue pairs=2}");
        drained.ack();
        close.assertReturns();
        AsyncEvent next = context.getAsyncEvent(0);
        assertSame(other, next.element(), "the undelivered event of the closed queue pair is dropped, others are not");
        assertNull(context.getAsyncEvent(0));
        next.ack();
        other.close();
    }
}
