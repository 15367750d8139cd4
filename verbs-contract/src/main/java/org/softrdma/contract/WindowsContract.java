// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Windows of both types: B binds them, A uses their keys. IBA vol 1 §10.6.7. */
@Needs(Capability.WINDOWS)
public abstract class WindowsContract extends ContractTest {
    private static final int WRITE = AccessFlags.REMOTE_WRITE;
    private static final int REGION = End.ALL_REMOTE | AccessFlags.MW_BIND;

    private MemoryRegion region;
    private MemoryWindow one;
    private int seenOfB;

    @BeforeEach
    void connectAndAllocate() {
        connect();
        region = b.memory(4096, REGION);
        one = b.window(MemoryWindow.Type.TYPE_1);
    }

    /** Writes eight bytes on a connection of its own, which dies if it is refused. */
    private WcStatus writeTo(long address, int rkey) {
        return writeTo(connectMore(a.pd, b.pd).ofA(), address, rkey);
    }

    private WcStatus writeTo(QueuePair by, long address, int rkey) {
        int before = a.sends().size();
        by.postSend(wr.write(address, rkey).inlineData(MemorySegment.ofArray(new byte[8])).signaled());
        return outcome(by, before);
    }

    private WcStatus bind(long offset, long length, int access) {
        b.qp.bind(one, 77, region, region.address() + offset, length, access, SendFlags.SIGNALED);
        return lastOfB();
    }

    private int bindTypeTwo(MemoryWindow window, int access) {
        int key = MemoryWindow.nextRkey(window.rkey());
        b.qp.postSend(wr.bindWindow(key, region, region.address(), 64, access).signaled());
        assertEquals(WcStatus.SUCCESS, lastOfB());
        return key;
    }

    /** Returns the status of B's next send work request. */
    private WcStatus lastOfB() {
        await(() -> b.sends().size() > seenOfB);
        seenOfB = b.sends().size();
        return b.sends().getLast().status();
    }

    // ---- type 1 ----

    @Test
    void shouldOpenItsRangeToEveryQueuePairOfTheDomain() {
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), one.rkey()), "not bound yet");
        int allocated = one.rkey();
        assertEquals(WcStatus.SUCCESS, bind(1000, 16, WRITE));
        assertEquals(List.of(77L, WcOpcode.BIND_MW), List.of(b.sends().getLast().wrId(), b.sends().getLast().opcode()));
        assertEquals(MemoryWindow.nextRkey(allocated), one.rkey());
        assertEquals(WcStatus.SUCCESS, writeTo(a.qp, region.address() + 1000, one.rkey()));
        assertEquals(WcStatus.SUCCESS, writeTo(region.address() + 1008, one.rkey()), "another queue pair");
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address() + 999, one.rkey()), "one byte before it");
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address() + 1009, one.rkey()), "one byte past it");
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address() + 1000, allocated), "the old key");
    }

    @Test
    void shouldGrantItsOwnRightsOnly() {
        assertEquals(WcStatus.SUCCESS, bind(0, 64, AccessFlags.REMOTE_READ));
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), one.rkey()));
    }

    @Test
    void shouldBindAgainWhileBound() {
        assertEquals(WcStatus.SUCCESS, bind(0, 64, WRITE));
        int first = one.rkey();
        assertEquals(WcStatus.SUCCESS, bind(64, 64, WRITE));
        assertNotEquals(first, one.rkey());
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), first));
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), one.rkey()));
        assertEquals(WcStatus.SUCCESS, writeTo(region.address() + 64, one.rkey()));
    }

    @Test
    void shouldEndItsBindingWithLengthZero() {
        assertEquals(WcStatus.SUCCESS, bind(0, 64, WRITE));
        refusedByDevice(Errno.EBUSY, "dereg_mr", region::close, hex(region.lkey()));
        int bound = one.rkey();
        b.qp.bind(one, 78, null, 0, 0, 0, SendFlags.SIGNALED);
        assertEquals(WcStatus.SUCCESS, lastOfB());
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), bound));
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), one.rkey()));
        region.close();
    }

    @Test
    void shouldOutliveTheQueuePairThatBoundIt() {
        assertEquals(WcStatus.SUCCESS, bind(0, 64, WRITE));
        b.qp.close();
        assertEquals(WcStatus.SUCCESS, writeTo(region.address(), one.rkey()));
        int rkey = one.rkey();
        one.close();
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), rkey));
        region.close();
    }

    /** A window of type 1 is controlled by its owner: neither a peer nor a work request can invalidate it. */
    @Test
    void shouldNotBeInvalidatedByAnyone() {
        assertEquals(WcStatus.SUCCESS, bind(0, 64, WRITE));
        b.qp.postReceive(recv.begin(1));
        a.qp.postSend(wr.sendWithInvalidate(one.rkey()).signaled());
        assertEquals(WcStatus.REM_ACCESS_ERR, outcome(a.qp, 0));
        QueuePair other = connectMore(a.pd, b.pd).ofB();
        int before = b.sends().size();
        other.postSend(wr.localInvalidate(one.rkey()).signaled());
        await(() -> b.sends().size() > before);
        assertEquals(WcStatus.LOC_QP_OP_ERR, b.sends().getLast().status());
        assertEquals(WcStatus.SUCCESS, writeTo(region.address(), one.rkey()));
    }

    @Test
    void shouldFailBindsThatTheRegionDoesNotAllow() {
        assertEquals(WcStatus.MW_BIND_ERR, bind(4090, 8, WRITE), "past its end");
        assertEquals(QpState.ERR, b.qp.state());
    }

    @Test
    void shouldNotBindToRegionsWithoutTheRight() {
        MemoryRegion plain = b.memory(64, End.ALL_REMOTE);
        b.qp.bind(one, 1, plain, plain.address(), 64, AccessFlags.REMOTE_READ, SendFlags.SIGNALED);
        assertEquals(WcStatus.MW_BIND_ERR, lastOfB());
        plain.close();
    }

    @Test
    void shouldNotBindWritableWindowsToRegionsThatAreNot() {
        MemoryRegion readable = b.memory(64, AccessFlags.REMOTE_READ | AccessFlags.MW_BIND);
        b.qp.bind(one, 1, readable, readable.address(), 64, AccessFlags.REMOTE_READ, SendFlags.SIGNALED);
        b.qp.bind(one, 2, readable, readable.address(), 64, WRITE, SendFlags.SIGNALED);
        await(() -> b.sends().size() == 2);
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.MW_BIND_ERR), b.sendStatuses());
    }

    @Test
    void shouldRefuseWhatTheVerbCanSee() {
        ProtectionDomain other = keep(b.context.allocatePd());
        MemoryWindow foreign = keep(other.allocateMw(MemoryWindow.Type.TYPE_1));
        MemoryRegion foreignRegion = b.register(other, region.memory(), REGION);
        long at = region.address();
        String verb = "bind_mw";
        refused(Errno.EINVAL, verb, () -> b.qp.bind(foreign, 1, region, at, 8, WRITE, 0), "protection domain");
        refused(Errno.EINVAL, verb, () -> b.qp.bind(one, 1, foreignRegion, at, 8, WRITE, 0), "another protection domain");
        refused(Errno.EINVAL, verb, () -> b.qp.bind(one, 1, null, at, 8, WRITE, 0), "8 bytes");
        refused(Errno.EINVAL, verb, () -> b.qp.bind(one, 1, region, at, 8, AccessFlags.ZERO_BASED | WRITE, 0), "0x22");
        refused(Errno.EINVAL, verb, () -> b.newQp(b.pd).bind(one, 1, region, at, 8, WRITE, 0), "RESET");
        refused(Errno.EINVAL, "post_send",
            () -> b.qp.postSend(wr.bindWindow(MemoryWindow.nextRkey(one.rkey()), region, at, 8, WRITE)), "bind()");
        int key = one.rkey();
        assertEquals(WcStatus.SUCCESS, bind(0, 8, WRITE));
        assertEquals(MemoryWindow.nextRkey(key), one.rkey(), "refused binds have not used keys up");
    }

    // ---- type 2 ----

    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldBindEachTypeItsOwnWay() {
        MemoryWindow two = b.window(MemoryWindow.Type.TYPE_2);
        refused(Errno.EINVAL, "bind_mw", () -> b.qp.bind(two, 1, region, region.address(), 8, WRITE, 0), "type 1");
        bindTypeTwo(two, WRITE);
    }

    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldTieATypeTwoWindowToItsQueuePair() {
        MemoryWindow two = b.window(MemoryWindow.Type.TYPE_2);
        int key = bindTypeTwo(two, WRITE);
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), key), "through another queue pair");
        assertEquals(WcStatus.SUCCESS, writeTo(a.qp, region.address(), key));
        b.qp.postSend(wr.bindWindow(MemoryWindow.nextRkey(key), region, region.address(), 64, WRITE).signaled());
        assertEquals(WcStatus.MW_BIND_ERR, lastOfB(), "bound already");
    }

    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldBeInvalidatedByItsOwnerAndBoundAgain() {
        MemoryWindow two = b.window(MemoryWindow.Type.TYPE_2);
        int key = bindTypeTwo(two, WRITE);
        refusedByDevice(Errno.EBUSY, "dereg_mr", region::close);
        b.qp.postSend(wr.localInvalidate(key).signaled());
        assertEquals(WcStatus.SUCCESS, lastOfB());
        assertEquals(WcOpcode.LOCAL_INV, b.sends().getLast().opcode());
        int next = MemoryWindow.nextRkey(key);
        b.qp.postSend(wr.bindWindow(next, region, region.address(), 64, WRITE).signaled());
        assertEquals(WcStatus.SUCCESS, lastOfB());
        assertEquals(WcStatus.SUCCESS, writeTo(a.qp, region.address(), next));
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(a.qp, region.address(), key), "the old key");
    }

    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldBeInvalidatedByThePeersSend() {
        MemoryWindow two = b.window(MemoryWindow.Type.TYPE_2);
        int key = bindTypeTwo(two, WRITE);
        b.qp.postReceive(recv.begin(9));
        a.qp.postSend(wr.sendWithInvalidate(key).wrId(3).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of("3 SUCCESS"), End.brief(a.sends()));
        var received = b.receives().getFirst();
        assertEquals(List.of(9L, WcStatus.SUCCESS, WcOpcode.RECV, key),
            List.of(received.wrId(), received.status(), received.opcode(), received.invalidatedRkey()));
        assertTrue((received.flags() & WcFlags.WITH_INV) != 0);
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(a.qp, region.address(), key));
        region.close();
    }

    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldEndItsBindingWhenItIsClosed() {
        MemoryWindow two = b.window(MemoryWindow.Type.TYPE_2);
        int key = bindTypeTwo(two, WRITE);
        assertEquals(WcStatus.SUCCESS, writeTo(a.qp, region.address(), key));
        two.close();
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(a.qp, region.address(), key));
        region.close();
    }

    /** A window of type 2 releases its region when its queue pair is destroyed. */
    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldEndTheBindingsOfADestroyedQueuePair() {
        MemoryWindow two = b.window(MemoryWindow.Type.TYPE_2);
        bindTypeTwo(two, WRITE);
        refusedByDevice(Errno.EBUSY, "dereg_mr", region::close);
        b.qp.close();
        region.close();
    }

    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldStartAZeroBasedWindowAtZero() {
        MemoryWindow two = b.window(MemoryWindow.Type.TYPE_2);
        b.qp.postSend(wr.bindWindow(two.rkey(), region, region.address() + 100, 8, WRITE | AccessFlags.ZERO_BASED).signaled());
        assertEquals(WcStatus.SUCCESS, lastOfB());
        assertEquals(WcStatus.SUCCESS, writeTo(a.qp, 0, two.rkey()));
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(a.qp, 1, two.rkey()));
    }

    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldNotBindATypeTwoWindowOfNoBytes() {
        MemoryWindow two = b.window(MemoryWindow.Type.TYPE_2);
        b.qp.postSend(wr.bindWindow(two.rkey(), region, region.address(), 0, WRITE).signaled());
        assertEquals(WcStatus.MW_BIND_ERR, lastOfB());
    }

    @Test
    void shouldCountKeysUpInTheLowByteOnly() {
        assertEquals(0x12345601, MemoryWindow.nextRkey(0x12345600));
        assertEquals(0x12345600, MemoryWindow.nextRkey(0x123456ff));
    }
}
