// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.link.sim.Fate;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * What a responder must refuse (IBA vol 1 §9.7.4, §9.9.3; docs/interop.md has the table), row by row: the NAK on the wire, both ends'
 * completions and states, the asynchronous event, and that memory is as it was. What our own requester never sends comes from a
 * {@link RawPeer}. Each row has its twin just inside the limit.
 */
class ViolationTableTest {
    private static final int INVALID = 0x61;
    private static final int ACCESS = 0x62;
    private static final int OPERATIONAL = 0x63;
    private static final int SIZE = 8192;
    private static final int MTU = 1024;

    // ---------------------------------------------------------------- both ends ours

    /** Two connected ends; b's memory can be accessed in various ways, and must not change. */
    private static final class Scene {
        final SimulatedPair.Setup setup = new SimulatedPair.Setup();
        final SendRequest wr = new SendRequest();
        final ReceiveRequest recv = new ReceiveRequest();
        final List<RawPacket> naks = new ArrayList<>();
        SimulatedPair pair;
        MemoryRegion local;
        MemoryRegion target;
        private byte[] before;

        void connect() {
            pair = new SimulatedPair(4, setup);
            local = pair.a.memory(SIZE * 2, SimulatedPair.ALL_REMOTE);
            target = open(SimulatedPair.ALL_REMOTE);
            pair.fabric.observe((nowNs, from, to, packet, offset, length, fate) -> {
                if (fate == Fate.SENT && packet.get(offset) == RawPacket.ACK && packet.get(offset + 12) != 0x1f) {
                    naks.add(RawPacket.parse(packet, offset, length, nowNs));
                }
            });
        }

        MemoryRegion open(int access) {
            MemoryRegion region = pair.b.memory(SIZE, access);
            region.memory().fill((byte) 0x5a);
            return region;
        }

        /** Good SEND, the bad request, another SEND: the first arrives, the second is refused, the third is flushed. */
        void shouldRefuse(SendRequest bad, int syndrome, int nakPacket, WcStatus status, AsyncEventType event) {
            before = target.memory().toArray(ValueLayout.JAVA_BYTE);
            for (int i = 0; i < 3; i++) {
                pair.b.qp.postReceive(recv.begin(i).element(pair.b.memory(64, AccessFlags.LOCAL_WRITE), 0, 64));
            }
            SendRequest good = new SendRequest();
            pair.a.qp.postSend(good.send().wrId(1).element(local, 0, 8).signaled());
            pair.a.qp.postSend(bad.wrId(2));
            pair.a.qp.postSend(good.send().wrId(3).element(local, 0, 8).signaled());
            pair.runUntil(() -> pair.a.sends().size() == 3);
            pair.settle();
            assertEquals(List.of(WcStatus.SUCCESS, status, WcStatus.WR_FLUSH_ERR), pair.a.sendStatuses());
            assertEquals(List.of(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR), pair.b.receiveStatuses());
            assertEquals(List.of(Integer.toHexString(syndrome)), naks.stream().map(nak -> Integer.toHexString(nak.syndrome())).toList());
            assertEquals(setup.sqPsnA + 1 + nakPacket & 0xffffff, naks.getFirst().psn(), "the NAK's PSN");
            assertEquals(1, naks.getFirst().msn(), "messages executed");
            assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(pair.a.qp.state(), pair.b.qp.state()));
            assertEquals(List.of(event), pair.b.events());
            assertEquals(List.of(), pair.a.events());
            assertEquals(1, pair.b.counter(counterOf(syndrome)), counterOf(syndrome));
            assertArrayEquals(before, target.memory().toArray(ValueLayout.JAVA_BYTE), "memory");
        }

        void shouldTake(SendRequest good) {
            pair.a.qp.postSend(good.wrId(2).signaled());
            pair.runUntil(() -> !pair.a.sends().isEmpty());
            assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
            assertEquals(List.of(), naks);
        }

        SendRequest write(long address, int rkey, int length) {
            return wr.write(address, rkey).element(local, 0, length);
        }

        SendRequest read(long address, int rkey, int length) {
            return wr.read(address, rkey).element(local, 0, length);
        }

        SendRequest add(long address, int rkey) {
            return wr.fetchAndAdd(address, rkey, 1).element(local, 0, 8);
        }

        SendRequest swap(long address, int rkey) {
            return wr.compareAndSwap(address, rkey, 0x5a5a5a5a5a5a5a5aL, 1).element(local, 0, 8);
        }

        /** A type 2 window on the second KiB of the target, bound by b. */
        int bindWindow(int access) {
            MemoryWindow window = pair.b.pd.allocateMw(MemoryWindow.Type.TYPE_2);
            int key = MemoryWindow.nextRkey(window.rkey());
            pair.b.qp.postSend(wr.bindWindow(key, target, target.address() + 1024, 1024, access).signaled());
            pair.runUntil(() -> !pair.b.sends().isEmpty());
            assertEquals(List.of(WcStatus.SUCCESS), pair.b.sendStatuses());
            return key;
        }
    }

    private static String counterOf(int syndrome) {
        return switch (syndrome) {
            case INVALID -> "send_invalid_err";
            case ACCESS -> "send_access_err";
            default -> "send_operation_err";
        };
    }

    private static Arguments row(String name, Function<Scene, SendRequest> bad) {
        return Arguments.of(name, bad);
    }

    static Stream<Arguments> accessViolations() {
        return Stream.of(
            row("unknown index", s -> s.write(s.target.address(), 0x00777700, 8)),
            row("index of windows", s -> s.write(s.target.address(), 0x08000001, 8)),
            row("old key byte", s -> s.write(s.target.address(), s.target.rkey() ^ 1, 8)),
            row("old key byte, READ", s -> s.read(s.target.address(), s.target.rkey() ^ 0x80, 8)),
            row("old key byte, atomic", s -> s.add(s.target.address(), s.target.rkey() ^ 0x10)),
            row("key 0", s -> s.read(s.target.address(), 0, 8)),
            row("closed region", s -> {
                MemoryRegion closed = s.open(SimulatedPair.ALL_REMOTE);
                closed.close();
                return s.write(closed.address(), closed.rkey(), 8);
            }),
            row("other protection domain", s -> {
                MemoryRegion other = s.pair.b.context.allocatePd().register(Arena.ofAuto().allocate(64), SimulatedPair.ALL_REMOTE);
                return s.read(other.address(), other.rkey(), 8);
            }),
            row("WRITE one byte past the end", s -> s.write(s.target.address() + SIZE - 7, s.target.rkey(), 8)),
            row("WRITE one byte before the beginning", s -> s.write(s.target.address() - 1, s.target.rkey(), 8)),
            row("long WRITE whose end is outside, refused at its first packet",
                s -> s.write(s.target.address() + SIZE - 4999, s.target.rkey(), 5000)),
            row("WRITE that wraps around the address space", s -> s.write(-4, s.target.rkey(), 8)),
            row("READ one byte past the end", s -> s.read(s.target.address() + 1, s.target.rkey(), SIZE)),
            row("READ far outside", s -> s.read(0x123, s.target.rkey(), 1)),
            row("atomic past the end", s -> s.add(s.target.address() + SIZE, s.target.rkey())),
            row("WRITE without REMOTE_WRITE", s -> {
                s.target = s.open(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC);
                return s.write(s.target.address(), s.target.rkey(), 8);
            }),
            row("READ without REMOTE_READ", s -> {
                s.target = s.open(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
                return s.read(s.target.address(), s.target.rkey(), 8);
            }),
            row("atomic without REMOTE_ATOMIC", s -> {
                s.target = s.open(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
                return s.swap(s.target.address(), s.target.rkey());
            }),
            row("lkey of a region without remote access", s -> {
                s.target = s.open(AccessFlags.LOCAL_WRITE);
                return s.read(s.target.address(), s.target.lkey(), 8);
            }),
            row("window, one byte before it", s -> s.write(s.target.address() + 1023, s.bindWindow(AccessFlags.REMOTE_WRITE), 8)),
            row("window, one byte past it", s -> s.write(s.target.address() + 2041, s.bindWindow(AccessFlags.REMOTE_WRITE), 8)),
            row("window without REMOTE_READ", s -> s.read(s.target.address() + 1024, s.bindWindow(AccessFlags.REMOTE_WRITE), 8)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("accessViolations")
    void shouldRefuseWithAccessError(String name, Function<Scene, SendRequest> violation) {
        Scene s = new Scene();
        s.connect();
        s.shouldRefuse(violation.apply(s), ACCESS, 0, WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
    }

    static Stream<Arguments> justInside() {
        return Stream.of(
            row("WRITE to the last byte", s -> s.write(s.target.address() + SIZE - 8, s.target.rkey(), 8)),
            row("WRITE of everything", s -> s.write(s.target.address(), s.target.rkey(), SIZE)),
            row("READ of everything", s -> s.read(s.target.address(), s.target.rkey(), SIZE)),
            row("WRITE of nothing, key and address wrong", s -> s.write(1, 2, 0)),
            row("READ of nothing, key and address wrong", s -> s.read(1, 2, 0)),
            row("atomic on the last word", s -> s.add(s.target.address() + SIZE - 8, s.target.rkey())),
            row("WRITE to a region with just that right", s -> {
                MemoryRegion region = s.open(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
                return s.write(region.address(), region.rkey(), 8);
            }),
            row("READ of a region with just that right", s -> {
                MemoryRegion region = s.open(AccessFlags.REMOTE_READ);
                return s.read(region.address(), region.rkey(), 8);
            }),
            row("atomic on a region with just that right", s -> {
                MemoryRegion region = s.open(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC);
                return s.swap(region.address(), region.rkey());
            }),
            row("window, all of it", s -> s.write(s.target.address() + 1024, s.bindWindow(AccessFlags.REMOTE_WRITE), 1024)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("justInside")
    void shouldTakeWhatIsJustInside(String name, Function<Scene, SendRequest> good) {
        Scene s = new Scene();
        s.connect();
        s.shouldTake(good.apply(s));
    }

    static Stream<Arguments> rightsOfTheQueuePair() {
        return Stream.of(
            Arguments.of(AccessFlags.REMOTE_WRITE, row("WRITE", s -> s.write(s.target.address(), s.target.rkey(), 8))),
            Arguments.of(AccessFlags.REMOTE_WRITE, row("WRITE of nothing", s -> s.write(0, 0, 0))),
            Arguments.of(AccessFlags.REMOTE_READ, row("READ", s -> s.read(s.target.address(), s.target.rkey(), 8))),
            Arguments.of(AccessFlags.REMOTE_ATOMIC, row("FetchAdd", s -> s.add(s.target.address(), s.target.rkey()))),
            Arguments.of(AccessFlags.REMOTE_ATOMIC, row("CmpSwap", s -> s.swap(s.target.address(), s.target.rkey()))));
    }

    /** As in kernel rxe 6.1: a missing right of the queue pair is an invalid request, not an access error. */
    @ParameterizedTest
    @MethodSource("rightsOfTheQueuePair")
    @SuppressWarnings("unchecked")
    void shouldRefuseWhatTheQueuePairDoesNotAllow(int right, Arguments request) {
        Function<Scene, SendRequest> make = (Function<Scene, SendRequest>) request.get()[1];
        Scene s = new Scene();
        s.setup.accessB = AccessFlags.REMOTE_ANY & ~right;
        s.connect();
        s.shouldRefuse(make.apply(s), INVALID, 0, WcStatus.REM_INV_REQ_ERR, AsyncEventType.QP_REQ_ERR);
        Scene twin = new Scene();
        twin.setup.accessB = right;
        twin.connect();
        twin.shouldTake(make.apply(twin));
    }

    @Test
    void shouldRefuseReadsAndAtomicsAtDepthZero() {
        for (boolean atomic : new boolean[] {false, true}) {
            Scene s = new Scene();
            s.setup.destRdAtomic = 0;
            s.connect();
            s.shouldRefuse(atomic ? s.add(s.target.address(), s.target.rkey()) : s.read(s.target.address(), s.target.rkey(), 8), INVALID, 0,
                WcStatus.REM_INV_REQ_ERR, AsyncEventType.QP_REQ_ERR);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7})
    void shouldRefuseUnalignedAtomic(int offset) {
        Scene s = new Scene();
        s.connect();
        s.shouldRefuse(s.add(s.target.address() + offset, s.target.rkey()), INVALID, 0, WcStatus.REM_INV_REQ_ERR,
            AsyncEventType.QP_REQ_ERR);
    }

    /** The packet that overflows is refused, and the receive completes with LOC_LEN_ERR. */
    @ParameterizedTest
    @CsvSource({"9,8,0", "1,0,0", "1025,1024,1", "5000,4096,4", "5000,3000,2"})
    void shouldRefuseSendLongerThanTheReceive(int length, int room, int nakPacket) {
        Scene s = new Scene();
        s.connect();
        MemoryRegion buffer = s.open(AccessFlags.LOCAL_WRITE);
        s.pair.b.qp.postReceive(s.recv.begin(7).element(buffer, 0, room));
        s.pair.b.qp.postReceive(s.recv.begin(8).element(buffer, 0, SIZE));
        s.pair.a.qp.postSend(s.wr.send().wrId(1).element(s.local, 0, length).signaled());
        s.pair.runUntil(() -> !s.pair.a.sends().isEmpty());
        s.pair.settle();
        assertEquals(List.of(WcStatus.REM_INV_REQ_ERR), s.pair.a.sendStatuses());
        assertEquals(List.of(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR), s.pair.b.receiveStatuses());
        assertEquals(7, s.pair.b.receives().getFirst().wrId());
        assertEquals(List.of(INVALID, s.setup.sqPsnA + nakPacket), List.of(s.naks.getFirst().syndrome(), s.naks.getFirst().psn()));
        assertEquals(1, s.naks.size());
        assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(s.pair.a.qp.state(), s.pair.b.qp.state()));
        assertEquals(List.of(AsyncEventType.QP_REQ_ERR), s.pair.b.events());
        for (int i = room; i < SIZE; i++) {
            assertEquals(0x5a, buffer.memory().get(ValueLayout.JAVA_BYTE, i), "byte " + i);
        }
    }

    @Test
    void shouldTakeSendAsLongAsTheReceive() {
        Scene s = new Scene();
        s.connect();
        s.pair.b.qp.postReceive(s.recv.begin(7).element(s.target, 0, 5000));
        s.shouldTake(s.wr.send().element(s.local, 0, 5000));
        assertEquals(List.of(WcStatus.SUCCESS), s.pair.b.receiveStatuses());
    }

    static Stream<Arguments> unusableReceives() {
        return Stream.of(
            Arguments.of("unknown lkey", (Function<Scene, ReceiveRequest>) s ->
                s.recv.begin(7).element(s.target.address(), 100, 0x1234500)),
            Arguments.of("outside", (Function<Scene, ReceiveRequest>) s -> s.recv.begin(7).element(s.target, SIZE - 99, 100)),
            Arguments.of("no LOCAL_WRITE", (Function<Scene, ReceiveRequest>) s ->
                s.recv.begin(7).element(s.open(AccessFlags.REMOTE_READ), 0, 100)),
            Arguments.of("second element", (Function<Scene, ReceiveRequest>) s ->
                s.recv.begin(7).element(s.open(AccessFlags.LOCAL_WRITE), 0, 4).element(s.target.address(), 100, 1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unusableReceives")
    void shouldReportReceiveThatNamesNoUsableMemory(String name, Function<Scene, ReceiveRequest> receive) {
        Scene s = new Scene();
        s.connect();
        byte[] before = s.target.memory().toArray(ValueLayout.JAVA_BYTE);
        s.pair.b.qp.postReceive(receive.apply(s));
        s.pair.a.qp.postSend(s.wr.send().wrId(1).element(s.local, 0, 50).signaled());
        s.pair.runUntil(() -> !s.pair.a.sends().isEmpty());
        s.pair.settle();
        assertEquals(List.of(WcStatus.REM_OP_ERR), s.pair.a.sendStatuses());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), s.pair.b.receiveStatuses());
        assertEquals(List.of(OPERATIONAL, s.setup.sqPsnA), List.of(s.naks.getFirst().syndrome(), s.naks.getFirst().psn()));
        assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(s.pair.a.qp.state(), s.pair.b.qp.state()));
        assertEquals(List.of(AsyncEventType.QP_FATAL), s.pair.b.events());
        assertEquals(1, s.pair.b.counter("send_operation_err"));
        assertArrayEquals(before, s.target.memory().toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldReportReceiverNotReadyAndLeaveTheResponderAsItIs() {
        Scene s = new Scene();
        s.setup.rnrRetry = 2;
        s.connect();
        s.pair.a.qp.postSend(s.wr.send().wrId(1).element(s.local, 0, 50).signaled());
        s.pair.runUntil(() -> !s.pair.a.sends().isEmpty());
        assertEquals(List.of(WcStatus.RNR_RETRY_EXC_ERR), s.pair.a.sendStatuses());
        assertEquals(List.of(0x2c, 0x2c, 0x2c), s.naks.stream().map(RawPacket::syndrome).toList());
        assertEquals(List.of(QpState.ERR, QpState.RTS), List.of(s.pair.a.qp.state(), s.pair.b.qp.state()));
        assertEquals(List.of(), s.pair.b.events());
    }

    /** Only a type 2 window's current key can be invalidated by the peer; a wrong one is an access error for both ends. */
    @Test
    void shouldRefuseInvalidationOfWhatIsNoWindow() {
        Scene s = new Scene();
        s.connect();
        s.pair.b.qp.postReceive(s.recv.begin(7).element(s.target, 0, 100));
        s.pair.a.qp.postSend(s.wr.sendWithInvalidate(s.target.rkey()).wrId(1).element(s.local, 0, 50).signaled());
        s.pair.runUntil(() -> !s.pair.a.sends().isEmpty());
        s.pair.settle();
        assertEquals(List.of(WcStatus.REM_ACCESS_ERR), s.pair.a.sendStatuses());
        assertEquals(List.of(WcStatus.LOC_ACCESS_ERR), s.pair.b.receiveStatuses());
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), s.pair.b.events());
    }

    @Test
    void shouldInvalidateWindowAndRefuseItsKeyFromThenOn() {
        Scene s = new Scene();
        s.connect();
        int key = s.bindWindow(AccessFlags.REMOTE_WRITE);
        s.pair.b.qp.postReceive(s.recv.begin(7).element(s.target, 0, 100));
        s.pair.a.qp.postSend(s.wr.sendWithInvalidate(key).wrId(1).element(s.local, 0, 50).signaled());
        s.pair.a.qp.postSend(s.write(s.target.address() + 1024, key, 8).wrId(2));
        s.pair.runUntil(() -> s.pair.a.sends().size() == 2);
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR), s.pair.a.sendStatuses());
        assertEquals(key, s.pair.b.receives().getFirst().invalidatedRkey());
    }

    // ---------------------------------------------------------------- our requester, wrong on its own side

    static Stream<Arguments> localViolations() {
        return Stream.of(
            Arguments.of(WcStatus.LOC_PROT_ERR, row("unknown lkey", s -> s.wr.send().element(s.local.address(), 8, 0x777700))),
            Arguments.of(WcStatus.LOC_PROT_ERR, row("outside", s -> s.wr.send().element(s.local, SIZE * 2 - 7, 8))),
            Arguments.of(WcStatus.LOC_PROT_ERR, row("READ into memory without LOCAL_WRITE", s -> s.wr.read(s.target.address(),
                s.target.rkey()).element(s.pair.a.memory(8, AccessFlags.REMOTE_READ), 0, 8))),
            Arguments.of(WcStatus.LOC_PROT_ERR, row("window's key as lkey", s -> {
                s.bindWindow(AccessFlags.REMOTE_WRITE);
                return s.wr.send().element(s.target.address(), 8, 0x08000001);
            })),
            Arguments.of(WcStatus.LOC_LEN_ERR, row("atomic of 4 bytes", s -> s.wr.fetchAndAdd(s.target.address(), s.target.rkey(), 1)
                .element(s.local, 0, 4))),
            Arguments.of(WcStatus.LOC_LEN_ERR, row("atomic of 16 bytes", s -> s.wr.fetchAndAdd(s.target.address(), s.target.rkey(), 1)
                .element(s.local, 0, 16))),
            Arguments.of(WcStatus.LOC_LEN_ERR, row("more than 2^31 bytes", s -> s.wr.write(s.target.address(), s.target.rkey())
                .element(s.local.address(), 0x80000000, s.local.lkey()).element(s.local, 0, 1))),
            Arguments.of(WcStatus.MW_BIND_ERR, row("bind outside the region", s -> s.wr.bindWindow(window(s), s.local,
                s.local.address() + 1, SIZE * 2, AccessFlags.REMOTE_WRITE))),
            Arguments.of(WcStatus.MW_BIND_ERR, row("bind to a region without MW_BIND", s -> {
                MemoryRegion region = s.pair.a.memory(64, AccessFlags.LOCAL_WRITE);
                return s.wr.bindWindow(window(s), region, region.address(), 64, AccessFlags.REMOTE_READ);
            })),
            Arguments.of(WcStatus.MW_BIND_ERR, row("bind with REMOTE_WRITE to a region without LOCAL_WRITE", s -> {
                MemoryRegion region = s.pair.a.memory(64, AccessFlags.MW_BIND);
                return s.wr.bindWindow(window(s), region, region.address(), 64, AccessFlags.REMOTE_WRITE);
            })),
            Arguments.of(WcStatus.MW_BIND_ERR, row("bind of length 0", s -> s.wr.bindWindow(window(s), s.local, s.local.address(), 0,
                AccessFlags.REMOTE_READ))),
            Arguments.of(WcStatus.MW_BIND_ERR, row("bind of what is no window", s -> s.wr.bindWindow(s.local.rkey(), s.local,
                s.local.address(), 8, AccessFlags.REMOTE_READ))),
            Arguments.of(WcStatus.LOC_QP_OP_ERR, row("invalidation of a region", s -> s.wr.localInvalidate(s.local.rkey()))),
            Arguments.of(WcStatus.LOC_QP_OP_ERR, row("invalidation of an unbound window", s -> s.wr.localInvalidate(window(s)))));
    }

    private static int window(Scene s) {
        return s.pair.a.pd.allocateMw(MemoryWindow.Type.TYPE_2).rkey();
    }

    /** Nothing of it goes on the wire, and it fails in its turn. */
    @ParameterizedTest
    @MethodSource("localViolations")
    @SuppressWarnings("unchecked")
    void shouldFailOwnMistakeInItsTurn(WcStatus status, Arguments request) {
        Scene s = new Scene();
        s.connect();
        s.pair.b.qp.postReceive(s.recv.begin(7).element(s.target, 0, 100));
        s.pair.a.qp.postSend(new SendRequest().send().wrId(1).element(s.local, 0, 50).signaled());
        s.pair.a.qp.postSend(((Function<Scene, SendRequest>) request.get()[1]).apply(s).wrId(2));
        s.pair.a.qp.postSend(new SendRequest().send().wrId(3).element(s.local, 0, 50).signaled());
        s.pair.runUntil(() -> s.pair.a.sends().size() == 3);
        assertEquals(List.of(WcStatus.SUCCESS, status, WcStatus.WR_FLUSH_ERR), s.pair.a.sendStatuses());
        assertEquals(List.of(QpState.ERR, QpState.RTS), List.of(s.pair.a.qp.state(), s.pair.b.qp.state()));
        assertEquals(List.of(), s.naks);
        assertEquals(List.of(), s.pair.a.events());
    }

    @Test
    void shouldFailReadWithoutInitiatorDepth() {
        Scene s = new Scene();
        s.setup.rdAtomic = 0;
        s.connect();
        s.pair.a.qp.postSend(s.read(s.target.address(), s.target.rkey(), 8));
        s.pair.runUntil(() -> !s.pair.a.sends().isEmpty());
        assertEquals(List.of(WcStatus.LOC_QP_OP_ERR), s.pair.a.sendStatuses());
    }

    // ---------------------------------------------------------------- packets our requester never sends

    private static final class Raw {
        final RawPeer peer = new RawPeer(new SimulatedPair.Setup());
        final MemoryRegion memory = peer.side.memory(SIZE, SimulatedPair.ALL_REMOTE);
        private final byte[] before = memory.memory().fill((byte) 0x5a).toArray(ValueLayout.JAVA_BYTE);

        Raw() {
            for (int i = 0; i < 3; i++) {
                peer.side.qp.postReceive(new ReceiveRequest().begin(i).element(memory, 4096, 4096));
            }
        }

        RawPacket packet(int opcode, int psn) {
            return RawPacket.of(opcode, OUR_PSN + psn);
        }

        RawPacket write(int opcode, int length) {
            return packet(opcode, 0).reth(memory.address(), memory.rkey(), length);
        }

        /** The last of these packets is refused, and later requests get silence. */
        void shouldRefuseLast(int syndrome, List<WcStatus> receives, AsyncEventType event, int untouchedFrom, RawPacket... packets) {
            peer.send(packets);
            peer.expectSyndrome(OUR_PSN + packets.length - 1, syndrome);
            peer.send(packet(RawPacket.SEND_ONLY, packets.length - 1).payload(8).ackRequest());
            peer.send(packet(RawPacket.SEND_ONLY, packets.length).payload(8).ackRequest());
            peer.expectNothingFor(1000 * MS);
            assertEquals(receives, peer.side.receiveStatuses());
            assertEquals(QpState.ERR, peer.side.qp.state());
            assertEquals(List.of(event), peer.side.events());
            assertEquals(1, peer.side.counter(counterOf(syndrome)), counterOf(syndrome));
            byte[] now = memory.memory().toArray(ValueLayout.JAVA_BYTE);
            for (int i = untouchedFrom; i < 4096; i++) {
                assertEquals(before[i], now[i], "byte " + i);
            }
        }

        void shouldRefuseLast(RawPacket... packets) {
            WcStatus flushed = WcStatus.WR_FLUSH_ERR;
            shouldRefuseLast(INVALID, List.of(flushed, flushed, flushed), AsyncEventType.QP_REQ_ERR, (packets.length - 1) * MTU, packets);
        }

        /** Everything is executed; the last packet is acknowledged. */
        void shouldTakeAll(RawPacket... packets) {
            packets[packets.length - 1].ackRequest();
            peer.send(packets);
            peer.expectAck(OUR_PSN + packets.length - 1);
            assertEquals(QpState.RTS, peer.side.qp.state());
        }
    }

    static Stream<Arguments> wrongSequences() {
        int full = MTU;
        return Stream.of(
            Arguments.of("SEND Middle without First", new int[][] {{RawPacket.SEND_MIDDLE, full}}),
            Arguments.of("SEND Last without First", new int[][] {{RawPacket.SEND_LAST, 8}}),
            Arguments.of("WRITE Middle without First", new int[][] {{RawPacket.WRITE_MIDDLE, full}}),
            Arguments.of("WRITE Last without First", new int[][] {{RawPacket.WRITE_LAST, 8}}),
            Arguments.of("WRITE Last with immediate without First", new int[][] {{RawPacket.WRITE_LAST_IMM, 8}}),
            Arguments.of("First in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.SEND_FIRST, full}}),
            Arguments.of("Only in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.SEND_ONLY, 8}}),
            Arguments.of("WRITE Last in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.WRITE_LAST, 8}}),
            Arguments.of("READ in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.READ_REQUEST, 0}}),
            Arguments.of("atomic in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.FETCH_ADD, 0}}),
            Arguments.of("SEND Middle in a WRITE", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.SEND_MIDDLE, full}}),
            Arguments.of("First in a WRITE", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.WRITE_FIRST, full}}),
            Arguments.of("Only in a WRITE", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.WRITE_ONLY, 8}}),
            Arguments.of("READ in a WRITE", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.READ_REQUEST, 0}}),
            Arguments.of("Last after Last", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.WRITE_LAST, 176},
                {RawPacket.WRITE_LAST, 176}}));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongSequences")
    void shouldRefuseWrongSequenceOfPackets(String name, int[][] opcodesAndSizes) {
        Raw raw = new Raw();
        RawPacket[] packets = new RawPacket[opcodesAndSizes.length];
        for (int i = 0; i < packets.length; i++) {
            int opcode = opcodesAndSizes[i][0];
            packets[i] = raw.packet(opcode, i).payload(opcodesAndSizes[i][1]);
            switch (opcode) {
                case RawPacket.WRITE_FIRST, RawPacket.READ_REQUEST -> packets[i].reth(raw.memory.address(), raw.memory.rkey(), 1200);
                case RawPacket.WRITE_ONLY -> packets[i].reth(raw.memory.address(), raw.memory.rkey(), 8);
                case RawPacket.FETCH_ADD -> packets[i].atomic(raw.memory.address(), raw.memory.rkey(), 1, 0);
                case RawPacket.WRITE_LAST_IMM -> packets[i].immediate(1);
                default -> { }
            }
        }
        raw.shouldRefuseLast(packets);
    }

    /** First, Middle and Last carry what they must: sizes before and after the boundary. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, MTU - 4, MTU - 1, MTU + 1, 2 * MTU})
    void shouldRefuseSendFirstThatIsNotFull(int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.SEND_FIRST, 0).payload(payload));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MTU - 1, MTU + 1})
    void shouldRefuseSendMiddleThatIsNotFull(int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.SEND_FIRST, 0).payload(MTU), raw.packet(RawPacket.SEND_MIDDLE, 1).payload(payload));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MTU + 1, 3 * MTU})
    void shouldRefuseSendLastOfWrongSize(int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.SEND_FIRST, 0).payload(MTU), raw.packet(RawPacket.SEND_LAST, 1).payload(payload));
    }

    @Test
    void shouldRefuseSendOnlyLongerThanTheMtu() {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.SEND_ONLY, 0).payload(MTU + 1));
        Raw twin = new Raw();
        twin.shouldTakeAll(twin.packet(RawPacket.SEND_ONLY, 0).payload(MTU));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, MTU})
    void shouldTakeSendOfFullPacketsAndAnyRest(int rest) {
        Raw raw = new Raw();
        raw.shouldTakeAll(raw.packet(RawPacket.SEND_FIRST, 0).payload(MTU), raw.packet(RawPacket.SEND_MIDDLE, 1).payload(MTU),
            raw.packet(RawPacket.SEND_LAST, 2).payload(rest));
    }

    /** RETH length against what the packet carries; length 0 with payload is the one that panics kernel rxe. IBA vol 1 §9.7.4.1.6 */
    @ParameterizedTest
    @CsvSource({"0,8", "0,1024", "7,8", "9,8", "8,0", "2000,1024", "1025,1025", "0x80000001,8", "0xffffffff,8"})
    void shouldRefuseWriteOnlyWhoseLengthIsNotItsPayload(long length, int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.WRITE_ONLY, 0).reth(raw.memory.address(), raw.memory.rkey(), length).payload(payload));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, MTU})
    void shouldTakeWriteOnlyWhoseLengthIsItsPayload(int length) {
        Raw raw = new Raw();
        raw.shouldTakeAll(raw.write(RawPacket.WRITE_ONLY, length).payload(length));
    }

    /** A First that already carries everything leaves nothing for the Last. */
    @ParameterizedTest
    @CsvSource({"1024,1024", "8,1024", "0,1024", "2000,1000", "2000,1028", "2000,0", "0x80000001,1024"})
    void shouldRefuseWriteFirstOfWrongSize(long length, int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.WRITE_FIRST, 0).reth(raw.memory.address(), raw.memory.rkey(), length).payload(payload));
    }

    @ParameterizedTest
    @CsvSource({"1500,475", "1500,477", "1500,0", "1500,1024", "2048,1023", "2049,1024"})
    void shouldRefuseWriteLastOfWrongSize(int length, int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.write(RawPacket.WRITE_FIRST, length).payload(MTU), raw.packet(RawPacket.WRITE_LAST, 1).payload(payload));
    }

    @ParameterizedTest
    @CsvSource({"2048,1024", "3000,1023", "3000,1025"})
    void shouldRefuseWriteMiddleOfWrongSize(int length, int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.write(RawPacket.WRITE_FIRST, length).payload(MTU), raw.packet(RawPacket.WRITE_MIDDLE, 1).payload(payload));
    }

    @ParameterizedTest
    @CsvSource({"1025,1", "2048,1024", "1500,476"})
    void shouldTakeWriteOfTwoPackets(int length, int rest) {
        Raw raw = new Raw();
        raw.shouldTakeAll(raw.write(RawPacket.WRITE_FIRST, length).payload(MTU), raw.packet(RawPacket.WRITE_LAST, 1).payload(rest));
    }

    /** Pad that is not what the payload needs: seen from the other end, a payload of another length. */
    @ParameterizedTest
    @CsvSource({"8,1", "8,3", "7,0", "7,2", "6,3"})
    void shouldRefuseWrongPad(int payload, int pad) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.write(RawPacket.WRITE_ONLY, payload).payload(payload).pad(pad));
        Raw twin = new Raw();
        twin.shouldTakeAll(twin.write(RawPacket.WRITE_ONLY, payload).payload(payload));
    }

    @ParameterizedTest
    @ValueSource(longs = {0x80000001L, 0xffffffffL})
    void shouldRefuseReadOfMoreThanTwoToThe31(long length) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.READ_REQUEST, 0).reth(raw.memory.address(), raw.memory.rkey(), length));
    }

    /** 2^31 itself is a length like any other: too long for this region only. */
    @Test
    void shouldCompareReadOfTwoToThe31WithTheRegion() {
        Raw raw = new Raw();
        WcStatus flushed = WcStatus.WR_FLUSH_ERR;
        raw.shouldRefuseLast(ACCESS, List.of(flushed, flushed, flushed), AsyncEventType.QP_ACCESS_ERR, 0,
            raw.packet(RawPacket.READ_REQUEST, 0).reth(raw.memory.address(), raw.memory.rkey(), 0x80000000L));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7})
    void shouldRefuseUnalignedAtomicFromTheWire(int offset) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.COMPARE_SWAP, 0).atomic(raw.memory.address() + offset, raw.memory.rkey(), 1,
            0x5a5a5a5a5a5a5a5aL));
    }

    /** Reserved RC opcodes, UC, UD and XRC on an RC queue pair, and codes nobody knows. */
    @ParameterizedTest
    @ValueSource(ints = {0x15, 0x18, 0x1b, 0x1e, 0x1f, 0x20, 0x24, 0x2a, 0x3f, 0x44, 0x64, 0x65, 0xa4, 0xc0, 0xff})
    void shouldRefuseOperationOfAnotherService(int opcode) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(opcode, 0).payload(64).pad(0));
    }

    // ---------------------------------------------------------------- dropped without an answer

    private static void shouldDrop(Raw raw, String counter, byte[]... packets) {
        for (byte[] packet : packets) {
            raw.peer.sendBytes(packet);
        }
        raw.peer.expectNothingFor(1000 * MS);
        assertEquals(packets.length, raw.peer.side.counter(counter), counter);
        assertEquals(QpState.RTS, raw.peer.side.qp.state());
        assertEquals(List.of(), raw.peer.side.receives());
        assertArrayEquals(raw.before, raw.memory.memory().toArray(ValueLayout.JAVA_BYTE));
        raw.shouldTakeAll(raw.packet(RawPacket.SEND_ONLY, 0).payload(8));
    }

    /** Low 15 bits equal and not zero: IBA vol 1 §10.9.3. */
    @ParameterizedTest
    @ValueSource(ints = {0x1234, 0x8000, 0, 0xfffe, 0x7ffe})
    void shouldDropForeignPartition(int pkey) {
        Raw raw = new Raw();
        shouldDrop(raw, "drop_bad_pkey", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).pkey(pkey)));
        assertEquals(1, raw.peer.side.context.queryPort(1).badPkeyCntr());
    }

    @ParameterizedTest
    @ValueSource(ints = {0xffff, 0x7fff})
    void shouldTakeFullAndLimitedMembers(int pkey) {
        Raw raw = new Raw();
        raw.shouldTakeAll(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).pkey(pkey));
    }

    @Test
    void shouldDropWrongIcrc() {
        Raw raw = new Raw();
        shouldDrop(raw, "drop_bad_icrc", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).badIcrc()));
    }

    @Test
    void shouldDropWhatComesFromAnotherAddress() {
        Raw raw = new Raw();
        raw.peer.sendFromElsewhere(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).ackRequest());
        raw.peer.expectNothingFor(1000 * MS);
        assertEquals(1, raw.peer.side.counter("drop_wrong_address"));
        assertEquals(List.of(), raw.peer.side.receives());
    }

    @Test
    void shouldDropUnknownVersionQueuePairAndRuntPackets() {
        Raw raw = new Raw();
        shouldDrop(raw, "drop_bad_version", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).version(1)));
        raw = new Raw();
        shouldDrop(raw, "drop_unknown_qpn", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).destQpn(0)),
            raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).destQpn(0xffffff)));
        raw = new Raw();
        shouldDrop(raw, "drop_gsi_no_mad", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).destQpn(1)),
            raw.peer.bytesOf(raw.packet(0x1f, 0).destQpn(1)));
        raw = new Raw();
        shouldDrop(raw, "drop_unknown_opcode", raw.peer.bytesOf(raw.packet(0x1f, 0).destQpn(3)));
        raw = new Raw();
        shouldDrop(raw, "drop_too_short", new byte[0], new byte[15]);
        raw = new Raw();
        shouldDrop(raw, "drop_bad_length", raw.peer.bytesOf(raw.packet(RawPacket.WRITE_ONLY, 0)),
            raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(4096 + 64)));
    }
}
