// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;

/** Texts of a device's objects, as logs and debuggers show them. */
class ToStringTest {
    private final FakeContext context = new FakeContext();
    private final ProtectionDomain pd = context.allocatePd();

    @Test
    void shouldShowMemoryByAddressAndKeys() {
        MemorySegment memory = Arena.ofAuto().allocate(256, 8);
        MemoryRegion region = pd.register(memory, 0xffff_8000_0000_0000L, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
        String key = "0x" + Integer.toHexString(region.lkey());
        assertEquals("mr 0xffff800000000000+256, lkey " + key + ", rkey " + key + ", access LOCAL_WRITE|REMOTE_READ", region.toString());
        MemoryWindow window = pd.allocateMw(MemoryWindow.Type.TYPE_2);
        assertEquals("mw TYPE_2, rkey 0x" + Integer.toHexString(window.rkey()), window.toString());
    }

    @Test
    void shouldShowQueuesByNumber() {
        CompletionQueue cq = context.createCq(4);
        assertTrue(cq.toString().matches("cq [0-9]+, cqe " + cq.cqe()), cq.toString());
        assertEquals("pd 1", pd.toString());
        assertEquals("srq 1", pd.createSrq(4, 1, 0).toString());
        QueuePair qp = pd.createQp(QpInitAttributes.of(QpType.UD, cq, QpCapabilities.MINIMAL));
        assertEquals("UD qp 0x11, " + qp.state(), qp.toString());
    }

    @Test
    void shouldShowEventsWithTheirObjectOrPort() {
        context.raise(AsyncEventType.PORT_ERR, 1);
        assertEquals("PORT_ERR, port 1", context.getAsyncEvent(0).toString());
        context.raise(AsyncEventType.DEVICE_FATAL, 0);
        assertEquals("DEVICE_FATAL", context.getAsyncEvent(0).toString());
        QueuePair qp = pd.createQp(QpInitAttributes.of(QpType.RC, context.createCq(4), QpCapabilities.MINIMAL));
        ((SoftQueuePair) qp).raise(AsyncEventType.QP_FATAL);
        assertEquals("QP_FATAL, " + qp, context.getAsyncEvent(0).toString());
    }
}
