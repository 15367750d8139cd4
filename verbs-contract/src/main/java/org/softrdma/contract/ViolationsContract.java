// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * Violations that the two ends of a reliable connection must refuse, as seen by programs: statuses on both sides, states, events, and
 * unchanged memory. IBA vol 1 §9.7.4, §9.9.3, §10.2.5. Each row has its twin just inside the limit.
 */
@Needs(Capability.INFINIBAND_TRANSPORT)
public abstract class ViolationsContract extends ContractTest {
    private static final int SIZE = 8192;
    private static final long UNTOUCHED = 0x5a5a5a5a5a5a5a5aL;
    /** IBA leaves it to the responder which of the two a missing right of the queue pair is. */
    private static final Set<WcStatus> NOT_ALLOWED = Set.of(WcStatus.REM_INV_REQ_ERR, WcStatus.REM_ACCESS_ERR);

    private MemoryRegion local;
    private MemoryRegion target;

    /** A work request of A's, made once both ends are connected. */
    private interface Row extends Function<ViolationsContract, SendRequest> {
    }

    private static Arguments row(String name, Row request) {
        return Arguments.of(name, request);
    }

    private void connectWithMemory() {
        connect();
        local = a.memory(2 * SIZE, AccessFlags.LOCAL_WRITE);
        target = filled(End.ALL_REMOTE);
    }

    private MemoryRegion filled(int access) {
        MemoryRegion region = b.memory(SIZE, access);
        region.memory().fill((byte) 0x5a);
        return region;
    }

    private SendRequest write(long address, int rkey, int length) {
        return wr.write(address, rkey).element(local, 0, length);
    }

    private SendRequest read(long address, int rkey, int length) {
        return wr.read(address, rkey).element(local, 0, length);
    }

    private SendRequest add(long address, int rkey) {
        return wr.fetchAndAdd(address, rkey, 1).element(local, 0, 8);
    }

    private SendRequest swap(long address, int rkey) {
        return wr.compareAndSwap(address, rkey, UNTOUCHED, 1).element(local, 0, 8);
    }

    private SendRequest goodSend(long wrId) {
        return new SendRequest().send().wrId(wrId).element(local, 0, 8).signaled();
    }

    /** Good SEND, the bad request, another SEND: the first arrives, the second is refused, the third is flushed. */
    private void shouldRefuse(SendRequest bad, Set<WcStatus> statuses, Set<AsyncEventType> events) {
        byte[] before = target.memory().toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < 3; i++) {
            b.qp.postReceive(recv.begin(i).element(b.memory(64, AccessFlags.LOCAL_WRITE), 0, 64));
        }
        a.qp.postSend(goodSend(1));
        a.qp.postSend(bad.wrId(2));
        a.qp.postSend(goodSend(3));
        await(() -> a.sends().size() == 3 && b.receives().size() == 3 && isToldToB());
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR), List.of(a.sendStatuses().get(0), a.sendStatuses().get(2)));
        assertTrue(statuses.contains(a.sendStatuses().get(1)), a.sends().toString());
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR), b.receiveStatuses());
        assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(a.qp.state(), b.qp.state()));
        assertTold(events);
        assertEquals(List.of(), a.events());
        assertArrayEquals(before, target.memory().toArray(ValueLayout.JAVA_BYTE), "memory");
    }

    private boolean isToldToB() {
        return !fabric().raisesErrorEvents() || !b.events().isEmpty();
    }

    /** Asserts that B got one of the events, or none if the device has no such events. */
    private void assertTold(Set<AsyncEventType> events) {
        assertEquals(fabric().raisesErrorEvents() ? 1 : 0, b.events().size(), b.events().toString());
        assertTrue(events.containsAll(b.events()), b.events().toString());
    }

    private void shouldTake(SendRequest good) {
        a.qp.postSend(good.wrId(2).signaled());
        await(() -> !a.sends().isEmpty());
        assertEquals(List.of(WcStatus.SUCCESS), a.sendStatuses());
    }

    // ---- keys, bounds, rights of the region ----

    static Stream<Arguments> accessViolations() {
        return Stream.of(
            row("unknown index", t -> t.write(t.target.address(), 0x00777700, 8)),
            row("old key byte", t -> t.write(t.target.address(), t.target.rkey() ^ 1, 8)),
            row("old key byte, READ", t -> t.read(t.target.address(), t.target.rkey() ^ 0x80, 8)),
            row("key 0", t -> t.read(t.target.address(), 0, 8)),
            row("closed region", t -> {
                MemoryRegion closed = t.filled(End.ALL_REMOTE);
                int rkey = closed.rkey();
                closed.close();
                return t.write(closed.memory().address(), rkey, 8);
            }),
            row("other protection domain", t -> {
                MemoryRegion other = t.b.register(t.keep(t.b.context.allocatePd()), Arena.ofAuto().allocate(64), End.ALL_REMOTE);
                return t.read(other.address(), other.rkey(), 8);
            }),
            row("WRITE one byte past the end", t -> t.write(t.target.address() + SIZE - 7, t.target.rkey(), 8)),
            row("WRITE one byte before the beginning", t -> t.write(t.target.address() - 1, t.target.rkey(), 8)),
            row("long WRITE whose end is outside", t -> t.write(t.target.address() + SIZE - 4999, t.target.rkey(), 5000)),
            row("WRITE that wraps around the address space", t -> t.write(-4, t.target.rkey(), 8)),
            row("READ one byte past the end", t -> t.read(t.target.address() + 1, t.target.rkey(), SIZE)),
            row("READ far outside", t -> t.read(0x123, t.target.rkey(), 1)),
            row("WRITE without REMOTE_WRITE", t -> {
                t.target = t.filled(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
                return t.write(t.target.address(), t.target.rkey(), 8);
            }),
            row("READ without REMOTE_READ", t -> {
                t.target = t.filled(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
                return t.read(t.target.address(), t.target.rkey(), 8);
            }),
            row("lkey of a region without remote access", t -> {
                t.target = t.filled(AccessFlags.LOCAL_WRITE);
                return t.read(t.target.address(), t.target.lkey(), 8);
            }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("accessViolations")
    @Violates("LKEY_GIVEN_AWAY")
    void shouldRefuseWithAccessError(String name, Row violation) {
        connectWithMemory();
        shouldRefuse(violation.apply(this), Set.of(WcStatus.REM_ACCESS_ERR), Set.of(AsyncEventType.QP_ACCESS_ERR));
    }

    static Stream<Arguments> atomicViolations() {
        return Stream.of(
            row("old key byte", t -> t.add(t.target.address(), t.target.rkey() ^ 0x10)),
            row("past the end", t -> t.add(t.target.address() + SIZE, t.target.rkey())),
            row("without REMOTE_ATOMIC", t -> {
                t.target = t.filled(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
                return t.swap(t.target.address(), t.target.rkey());
            }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("atomicViolations")
    @Needs(Capability.ATOMICS)
    void shouldRefuseAtomicsWithAccessError(String name, Row violation) {
        connectWithMemory();
        shouldRefuse(violation.apply(this), Set.of(WcStatus.REM_ACCESS_ERR), Set.of(AsyncEventType.QP_ACCESS_ERR));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7})
    @Needs(Capability.ATOMICS)
    @Violates("ATOMIC_ALIGNMENT")
    void shouldRefuseUnalignedAtomic(int offset) {
        connectWithMemory();
        shouldRefuse(add(target.address() + offset, target.rkey()), Set.of(WcStatus.REM_INV_REQ_ERR), Set.of(AsyncEventType.QP_REQ_ERR));
    }

    static Stream<Arguments> justInside() {
        return Stream.of(
            row("WRITE to the last byte", t -> t.write(t.target.address() + SIZE - 8, t.target.rkey(), 8)),
            row("WRITE of everything", t -> t.write(t.target.address(), t.target.rkey(), SIZE)),
            row("READ of everything", t -> t.read(t.target.address(), t.target.rkey(), SIZE)),
            row("WRITE of nothing, key and address wrong", t -> t.write(1, 2, 0)),
            row("READ of nothing, key and address wrong", t -> t.read(1, 2, 0)),
            row("WRITE to a region with just that right", t -> {
                MemoryRegion region = t.filled(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
                return t.write(region.address(), region.rkey(), 8);
            }),
            row("READ of a region with just that right", t -> {
                MemoryRegion region = t.filled(AccessFlags.REMOTE_READ);
                return t.read(region.address(), region.rkey(), 8);
            }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("justInside")
    void shouldTakeWhatIsJustInside(String name, Row good) {
        connectWithMemory();
        shouldTake(good.apply(this));
    }

    static Stream<Arguments> atomicsJustInside() {
        return Stream.of(
            row("the last word", t -> t.add(t.target.address() + SIZE - 8, t.target.rkey())),
            row("a region with just that right", t -> {
                MemoryRegion region = t.filled(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC);
                return t.swap(region.address(), region.rkey());
            }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("atomicsJustInside")
    @Needs(Capability.ATOMICS)
    void shouldTakeAtomicsJustInside(String name, Row good) {
        connectWithMemory();
        shouldTake(good.apply(this));
    }

    // ---- rights of the queue pair ----

    static Stream<Arguments> rightsOfTheQueuePair() {
        return Stream.of(
            Arguments.of(AccessFlags.REMOTE_WRITE, "WRITE", (Row) t -> t.write(t.target.address(), t.target.rkey(), 8)),
            Arguments.of(AccessFlags.REMOTE_WRITE, "WRITE of nothing", (Row) t -> t.write(0, 0, 0)),
            Arguments.of(AccessFlags.REMOTE_READ, "READ", (Row) t -> t.read(t.target.address(), t.target.rkey(), 8)));
    }

    static Stream<Arguments> rightsOfTheQueuePairForAtomics() {
        return Stream.of(
            Arguments.of(AccessFlags.REMOTE_ATOMIC, "FetchAdd", (Row) t -> t.add(t.target.address(), t.target.rkey())),
            Arguments.of(AccessFlags.REMOTE_ATOMIC, "CmpSwap", (Row) t -> t.swap(t.target.address(), t.target.rkey())));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("rightsOfTheQueuePair")
    void shouldRefuseWhatTheQueuePairDoesNotAllow(int right, String name, Row request) {
        refuseWithout(right, request);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("rightsOfTheQueuePairForAtomics")
    @Needs(Capability.ATOMICS)
    void shouldRefuseAtomicsThatTheQueuePairDoesNotAllow(int right, String name, Row request) {
        refuseWithout(right, request);
    }

    private void refuseWithout(int right, Row request) {
        setup.accessB = AccessFlags.REMOTE_ANY & ~right;
        connectWithMemory();
        shouldRefuse(request.apply(this), NOT_ALLOWED, Set.of(AsyncEventType.QP_REQ_ERR, AsyncEventType.QP_ACCESS_ERR));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("rightsOfTheQueuePair")
    void shouldTakeWhatTheQueuePairAllows(int right, String name, Row request) {
        setup.accessB = right;
        connectWithMemory();
        shouldTake(request.apply(this));
    }

    @Test
    void shouldRefuseReadsAtDepthZero() {
        setup.destRdAtomic = 0;
        connectWithMemory();
        shouldRefuse(read(target.address(), target.rkey(), 8), NOT_ALLOWED,
            Set.of(AsyncEventType.QP_REQ_ERR, AsyncEventType.QP_ACCESS_ERR));
    }

    // ---- receives ----

    /** The receive completes with LOC_LEN_ERR, and nothing is written behind it. */
    @ParameterizedTest
    @CsvSource({"9,8", "1,0", "1025,1024", "5000,4096", "5000,3000"})
    void shouldRefuseSendLongerThanTheReceive(int length, int room) {
        connectWithMemory();
        MemoryRegion buffer = filled(AccessFlags.LOCAL_WRITE);
        b.qp.postReceive(recv.begin(7).element(buffer, 0, room));
        b.qp.postReceive(recv.begin(8).element(buffer, 0, SIZE));
        a.qp.postSend(wr.send().wrId(1).element(local, 0, length).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 2 && isToldToB());
        assertEquals(List.of("1 REM_INV_REQ_ERR"), End.brief(a.sends()));
        assertEquals(List.of("7 LOC_LEN_ERR", "8 WR_FLUSH_ERR"), End.brief(b.receives()));
        assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(a.qp.state(), b.qp.state()));
        assertTold(Set.of(AsyncEventType.QP_REQ_ERR));
        for (int i = room; i < SIZE; i++) {
            assertEquals(0x5a, buffer.memory().get(ValueLayout.JAVA_BYTE, i), "byte " + i);
        }
    }

    @Test
    void shouldTakeSendAsLongAsTheReceive() {
        connectWithMemory();
        b.qp.postReceive(recv.begin(7).element(target, 0, 5000));
        shouldTake(wr.send().element(local, 0, 5000));
        await(() -> !b.receives().isEmpty());
        assertEquals(List.of("7 SUCCESS"), End.brief(b.receives()));
    }

    static Stream<Arguments> unusableReceives() {
        return Stream.of(
            Arguments.of("unknown lkey", (Function<ViolationsContract, ReceiveRequest>) t ->
                t.recv.begin(7).element(t.target.address(), 100, 0x1234500)),
            Arguments.of("outside", (Function<ViolationsContract, ReceiveRequest>) t -> t.recv.begin(7).element(t.target, SIZE - 99, 100)),
            Arguments.of("no LOCAL_WRITE", (Function<ViolationsContract, ReceiveRequest>) t ->
                t.recv.begin(7).element(t.filled(AccessFlags.REMOTE_READ), 0, 100)),
            Arguments.of("another protection domain", (Function<ViolationsContract, ReceiveRequest>) t ->
                t.recv.begin(7).element(t.b.register(t.keep(t.b.context.allocatePd()), t.target.memory(), End.ALL_REMOTE), 0, 100)),
            Arguments.of("second element", (Function<ViolationsContract, ReceiveRequest>) t ->
                t.recv.begin(7).element(t.filled(AccessFlags.LOCAL_WRITE), 0, 4).element(t.target.address(), 100, 1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unusableReceives")
    @Violates("LOCAL_MEMORY")
    void shouldReportReceiveThatNamesNoUsableMemory(String name, Function<ViolationsContract, ReceiveRequest> receive) {
        connectWithMemory();
        byte[] before = target.memory().toArray(ValueLayout.JAVA_BYTE);
        b.qp.postReceive(receive.apply(this));
        a.qp.postSend(wr.send().wrId(1).element(local, 0, 100).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1 && isToldToB());
        assertEquals(List.of("1 REM_OP_ERR"), End.brief(a.sends()));
        assertEquals(List.of("7 LOC_PROT_ERR"), End.brief(b.receives()));
        assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(a.qp.state(), b.qp.state()));
        assertTold(Set.of(AsyncEventType.QP_FATAL));
        assertArrayEquals(before, target.memory().toArray(ValueLayout.JAVA_BYTE));
    }

    /** Only a type 2 window's current key can be invalidated by the peer. */
    @Test
    @Needs(Capability.WINDOWS_OF_TYPE_2)
    void shouldRefuseInvalidationOfWhatIsNoWindow() {
        connectWithMemory();
        b.qp.postReceive(recv.begin(7).element(target, 0, 100));
        a.qp.postSend(wr.sendWithInvalidate(target.rkey()).wrId(1).element(local, 0, 50).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1 && isToldToB());
        assertEquals(List.of("1 REM_ACCESS_ERR"), End.brief(a.sends()));
        assertEquals(List.of("7 LOC_ACCESS_ERR"), End.brief(b.receives()));
        assertTold(Set.of(AsyncEventType.QP_ACCESS_ERR));
    }

    // ---- the requester's own mistakes ----

    static Stream<Arguments> localViolations() {
        return Stream.of(
            Arguments.of("unknown lkey", WcStatus.LOC_PROT_ERR, (Row) t -> t.wr.send().element(t.local.address(), 8, 0x777700)),
            Arguments.of("outside", WcStatus.LOC_PROT_ERR, (Row) t -> t.wr.send().element(t.local, 2 * SIZE - 7, 8)),
            Arguments.of("another protection domain", WcStatus.LOC_PROT_ERR, (Row) t -> t.wr.send()
                .element(t.a.register(t.keep(t.a.context.allocatePd()), t.local.memory(), 0), 0, 8)),
            Arguments.of("READ into memory without LOCAL_WRITE", WcStatus.LOC_PROT_ERR, (Row) t ->
                t.wr.read(t.target.address(), t.target.rkey()).element(t.a.memory(8, AccessFlags.REMOTE_READ), 0, 8)),
            Arguments.of("more than 2^31 bytes", WcStatus.LOC_LEN_ERR, (Row) t -> t.wr.write(t.target.address(), t.target.rkey())
                .element(t.local.address(), 0x80000000, t.local.lkey()).element(t.local, 0, 1)),
            Arguments.of("invalidation of a region", WcStatus.LOC_QP_OP_ERR, (Row) t -> t.wr.localInvalidate(t.local.lkey())));
    }

    /** It fails in its turn: what was posted before it is done, what was posted after it is flushed, and the peer sees nothing of it. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("localViolations")
    @Violates("LOCAL_MEMORY")
    void shouldFailOwnMistakeInItsTurn(String name, WcStatus status, Row request) {
        connectWithMemory();
        failInItsTurn(status, request);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 16})
    @Needs(Capability.ATOMICS)
    void shouldFailAtomicsOfOtherThanEightBytes(int length) {
        connectWithMemory();
        failInItsTurn(WcStatus.LOC_LEN_ERR, t -> wr.fetchAndAdd(target.address(), target.rkey(), 1).element(local, 0, length));
    }

    /** The memory for the answer may be looked at when the answer comes: the peer has executed the operation then. */
    @Test
    @Needs(Capability.ATOMICS)
    @Violates("LOCAL_MEMORY")
    void shouldFailAtomicsIntoNoUsableMemory() {
        connectWithMemory();
        failInItsTurn(WcStatus.LOC_PROT_ERR, t -> wr.fetchAndAdd(target.address(), target.rkey(), 1).element(local.address(), 8, 0x777700));
        long value = target.memory().get(ValueLayout.JAVA_LONG, 0);
        assertTrue(value == UNTOUCHED || value == UNTOUCHED + 1, () -> "value " + value);
    }

    private void failInItsTurn(WcStatus status, Row request) {
        b.qp.postReceive(recv.begin(7).element(target, 4096, 100));
        a.qp.postSend(goodSend(1));
        a.qp.postSend(request.apply(this).wrId(2));
        a.qp.postSend(goodSend(3));
        await(() -> a.sends().size() == 3);
        assertEquals(List.of(WcStatus.SUCCESS, status, WcStatus.WR_FLUSH_ERR), a.sendStatuses());
        assertEquals(List.of(QpState.ERR, QpState.RTS), List.of(a.qp.state(), b.qp.state()));
        assertEquals(List.of(), a.events());
        assertEquals(List.of(), b.events());
    }

    @Test
    void shouldFailReadWithoutInitiatorDepth() {
        setup.rdAtomic = 0;
        connectWithMemory();
        a.qp.postSend(read(target.address(), target.rkey(), 8));
        await(() -> !a.sends().isEmpty());
        assertEquals(List.of(WcStatus.LOC_QP_OP_ERR), a.sendStatuses());
    }

    /** An error of one connection does not affect another. */
    @Test
    void shouldLeaveOtherQueuePairsAlone() {
        connectWithMemory();
        Connection other = connectMore(a.pd, b.pd);
        a.qp.postSend(write(target.address(), target.rkey() ^ 1, 8));
        await(() -> !a.sends().isEmpty());
        assertEquals(List.of(WcStatus.REM_ACCESS_ERR), a.sendStatuses());
        other.ofA().postSend(wr.write(target.address(), target.rkey()).inlineData(MemorySegment.ofArray(new byte[8])).signaled());
        await(() -> a.sends().size() == 2);
        assertEquals(WcStatus.SUCCESS, a.sends().get(1).status());
        assertEquals(List.of(QpState.RTS, QpState.RTS), List.of(other.ofA().state(), other.ofB().state()));
    }
}
