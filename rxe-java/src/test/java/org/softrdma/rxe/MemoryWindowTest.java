// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Windows of both types: B binds them, A uses their keys. IBA vol 1 §10.6.7. */
class MemoryWindowTest {
    private static final int WRITE = AccessFlags.REMOTE_WRITE;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private final SimulatedPair pair = new SimulatedPair(12, setup);
    private final MemoryRegion region = pair.b.memory(4096, SimulatedPair.ALL_REMOTE);
    private final MemoryWindow one = pair.b.pd.allocateMw(MemoryWindow.Type.TYPE_1);

    private QueuePair newConnection() {
        QueuePair ours = pair.a.newQp(pair.a.pd);
        QueuePair theirs = pair.b.newQp(pair.b.pd);
        SimulatedPair.connect(ours, pair.b.gid, theirs.qpNum(), setup, AccessFlags.REMOTE_ANY, 5, 6);
        SimulatedPair.connect(theirs, pair.a.gid, ours.qpNum(), setup, AccessFlags.REMOTE_ANY, 6, 5);
        return ours;
    }

    /** Writes eight bytes on a connection of its own, which dies if it is refused. */
    private WcStatus writeTo(long address, int rkey) {
        return writeTo(newConnection(), address, rkey);
    }

    private WcStatus writeTo(QueuePair by, long address, int rkey) {
        int before = pair.a.sends().size();
        by.postSend(wr.write(address, rkey).inlineData(MemorySegment.ofArray(new byte[8])).signaled());
        pair.runUntil(() -> pair.a.sends().size() > before);
        return pair.a.sends().getLast().status();
    }

    private WcStatus bind(long offset, long length, int access) {
        int before = pair.b.sends().size();
        pair.b.qp.bind(one, 77, region, region.address() + offset, length, access, SendFlags.SIGNALED);
        pair.runUntil(() -> pair.b.sends().size() > before);
        return pair.b.sends().getLast().status();
    }

    private static void refused(String verb, Executable call, String value) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(List.of(Errno.EINVAL, verb), List.of(refused.errno(), refused.verb()), refused.getMessage());
        assertTrue(refused.getMessage().contains(value), refused.getMessage());
    }

    // ---- type 1 ----

    @Test
    void shouldOpenItsRangeToEveryQueuePairOfTheDomain() {
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), one.rkey()), "not bound yet");
        int allocated = one.rkey();
        assertEquals(WcStatus.SUCCESS, bind(1000, 16, WRITE));
        assertEquals(List.of(77L, WcOpcode.BIND_MW), List.of(pair.b.sends().getLast().wrId(), pair.b.sends().getLast().opcode()));
        assertEquals(MemoryWindow.nextRkey(allocated), one.rkey());
        assertEquals(WcStatus.SUCCESS, writeTo(pair.a.qp, region.address() + 1000, one.rkey()));
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
        VerbsException busy = assertThrows(VerbsException.class, region::close);
        assertEquals(Errno.EBUSY, busy.errno());
        int bound = one.rkey();
        pair.b.qp.bind(one, 78, null, 0, 0, 0, SendFlags.SIGNALED);
        pair.runUntil(() -> pair.b.sends().size() == 2);
        assertEquals(WcStatus.SUCCESS, pair.b.sends().get(1).status());
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), bound));
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), one.rkey()));
        region.close();
    }

    @Test
    void shouldOutliveTheQueuePairThatBoundIt() {
        assertEquals(WcStatus.SUCCESS, bind(0, 64, WRITE));
        pair.b.qp.close();
        assertEquals(WcStatus.SUCCESS, writeTo(region.address(), one.rkey()));
        one.close();
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), one.rkey()));
        region.close();
    }

    @Test
    void shouldNotBeInvalidatedByAnyone() {
        assertEquals(WcStatus.SUCCESS, bind(0, 64, WRITE));
        pair.b.qp.postReceive(new ReceiveRequest().begin(1));
        pair.a.qp.postSend(wr.sendWithInvalidate(one.rkey()).signaled());
        pair.runUntil(() -> !pair.a.sends().isEmpty());
        assertEquals(List.of(WcStatus.REM_ACCESS_ERR), pair.a.sendStatuses());
        assertEquals(WcStatus.SUCCESS, writeTo(region.address(), one.rkey()));
    }

    @Test
    void shouldFailBindsThatTheRegionDoesNotAllow() {
        assertEquals(WcStatus.MW_BIND_ERR, bind(4090, 8, WRITE), "past its end");
    }

    @Test
    void shouldNotBindWritableWindowsToRegionsThatAreNot() {
        MemoryRegion readable = pair.b.memory(64, AccessFlags.REMOTE_READ | AccessFlags.MW_BIND);
        pair.b.qp.bind(one, 1, readable, readable.address(), 64, AccessFlags.REMOTE_READ, SendFlags.SIGNALED);
        pair.b.qp.bind(one, 2, readable, readable.address(), 64, WRITE, SendFlags.SIGNALED);
        pair.runUntil(() -> pair.b.sends().size() == 2);
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.MW_BIND_ERR), pair.b.sendStatuses());
    }

    @Test
    void shouldRefuseWhatTheVerbCanSee() {
        ProtectionDomain other = pair.b.context.allocatePd();
        MemoryWindow foreign = other.allocateMw(MemoryWindow.Type.TYPE_1);
        MemoryWindow two = pair.b.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        MemoryRegion foreignRegion = other.register(region.memory(), SimulatedPair.ALL_REMOTE);
        long at = region.address();
        refused("bind_mw", () -> pair.b.qp.bind(two, 1, region, at, 8, WRITE, 0), "type 1");
        refused("bind_mw", () -> pair.b.qp.bind(foreign, 1, region, at, 8, WRITE, 0), "protection domain");
        refused("bind_mw", () -> pair.b.qp.bind(one, 1, foreignRegion, at, 8, WRITE, 0), "another protection domain");
        refused("bind_mw", () -> pair.b.qp.bind(one, 1, null, at, 8, WRITE, 0), "8 bytes");
        refused("bind_mw", () -> pair.b.qp.bind(one, 1, region, at, 8, AccessFlags.ZERO_BASED | WRITE, 0), "0x22");
        refused("bind_mw", () -> pair.b.newQp(pair.b.pd).bind(one, 1, region, at, 8, WRITE, 0), "RESET");
        refused("post_send", () -> pair.b.qp.postSend(wr.bindWindow(MemoryWindow.nextRkey(one.rkey()), region, at, 8, WRITE)), "bind()");
        int key = one.rkey();
        assertEquals(WcStatus.SUCCESS, bind(0, 8, WRITE));
        assertEquals(MemoryWindow.nextRkey(key), one.rkey(), "refused binds have not used keys up");
    }

    // ---- type 2 ----

    @Test
    void shouldTieATypeTwoWindowToItsQueuePair() {
        MemoryWindow two = pair.b.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        int key = MemoryWindow.nextRkey(two.rkey());
        pair.b.qp.postSend(wr.bindWindow(key, region, region.address(), 64, WRITE).signaled());
        pair.runUntil(() -> !pair.b.sends().isEmpty());
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(region.address(), key), "through another queue pair");
        assertEquals(WcStatus.SUCCESS, writeTo(pair.a.qp, region.address(), key));
        pair.b.qp.postSend(wr.bindWindow(MemoryWindow.nextRkey(key), region, region.address(), 64, WRITE).signaled());
        pair.runUntil(() -> pair.b.sends().size() == 2);
        assertEquals(WcStatus.MW_BIND_ERR, pair.b.sends().get(1).status(), "bound already");
    }

    @Test
    void shouldStartAZeroBasedWindowAtZero() {
        MemoryWindow two = pair.b.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        pair.b.qp.postSend(wr.bindWindow(two.rkey(), region, region.address() + 100, 8, WRITE | AccessFlags.ZERO_BASED).signaled());
        pair.runUntil(() -> !pair.b.sends().isEmpty());
        assertEquals(WcStatus.SUCCESS, writeTo(pair.a.qp, 0, two.rkey()));
        assertEquals(WcStatus.REM_ACCESS_ERR, writeTo(pair.a.qp, 1, two.rkey()));
    }

    /** Otherwise a queue pair that draws the number again would be let through by windows it knows nothing of. */
    @Test
    void shouldEndTheBindingsOfADestroyedQueuePair() {
        MemoryWindow two = pair.b.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        pair.b.qp.postSend(wr.bindWindow(two.rkey(), region, region.address(), 64, WRITE).signaled());
        pair.runUntil(() -> !pair.b.sends().isEmpty());
        assertNotNull(pair.b.engine().memory().lookup(two.rkey()));
        pair.b.qp.close();
        assertNull(pair.b.engine().memory().lookup(two.rkey()));
        region.close();
    }

    @Test
    void shouldSayWhatIsThere() {
        int flags = pair.b.context.queryDevice().deviceCapFlags();
        int memoryWindow = 1 << 17;
        int type2a = 1 << 23;
        int type2b = 1 << 24;
        assertEquals(memoryWindow | type2b, flags & (memoryWindow | type2a | type2b));
        assertEquals((1 << 19) - 1, pair.b.context.queryDevice().maxMw());
    }
}
