// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcStatus;

/**
 * Requests that a responder must refuse (IBA vol 1 §9.7.4, §9.9.3; docs/interop.md has the table), row by row: the NAK on the wire, both
 * ends' completions and states, the asynchronous event, and that memory is as it was. Both ends are ours; requests that our requester
 * never sends are in {@link PacketViolationTest}. Each row has its twin just inside the limit.
 */
class ViolationTableTest {
    private static final int SIZE = 8192;

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

    static String counterOf(int syndrome) {
        return switch (syndrome) {
            case RawPacket.NAK_INVALID -> "send_invalid_err";
            case RawPacket.NAK_ACCESS -> "send_access_err";
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
        s.shouldRefuse(violation.apply(s), RawPacket.NAK_ACCESS, 0, WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
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
        s.shouldRefuse(make.apply(s), RawPacket.NAK_INVALID, 0, WcStatus.REM_INV_REQ_ERR, AsyncEventType.QP_REQ_ERR);
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
            s.shouldRefuse(atomic ? s.add(s.target.address(), s.target.rkey()) : s.read(s.target.address(), s.target.rkey(), 8),
                RawPacket.NAK_INVALID, 0, WcStatus.REM_INV_REQ_ERR, AsyncEventType.QP_REQ_ERR);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7})
    void shouldRefuseUnalignedAtomic(int offset) {
        Scene s = new Scene();
        s.connect();
        s.shouldRefuse(s.add(s.target.address() + offset, s.target.rkey()), RawPacket.NAK_INVALID, 0, WcStatus.REM_INV_REQ_ERR,
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
        assertEquals(List.of(RawPacket.NAK_INVALID, s.setup.sqPsnA + nakPacket),
            List.of(s.naks.getFirst().syndrome(), s.naks.getFirst().psn()));
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
        assertEquals(List.of(RawPacket.NAK_OPERATIONAL, s.setup.sqPsnA), List.of(s.naks.getFirst().syndrome(), s.naks.getFirst().psn()));
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
        assertEquals(WcFlags.GRH | WcFlags.WITH_INV, s.pair.b.receives().getFirst().flags());
    }

    // ---------------------------------------------------------------- local errors of our requester

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
            Arguments.of(WcStatus.LOC_PROT_ERR, row("2^31 bytes, which a message may have but the region has not",
                s -> s.wr.write(s.target.address(), s.target.rkey()).element(s.local.address(), 0x80000000, s.local.lkey()))),
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

    /** No packet of it is sent, and it fails in order. */
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

    /** The memory for the answer is checked before the request is sent: an atomic that could not be reported is not executed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotExecuteAtomicWithoutMemoryForItsAnswer(boolean known) {
        Scene s = new Scene();
        s.connect();
        MemoryRegion readOnly = s.pair.a.memory(8, AccessFlags.REMOTE_READ);
        SendRequest add = s.wr.fetchAndAdd(s.target.address(), s.target.rkey(), 1);
        s.pair.a.qp.postSend(known ? add.element(readOnly, 0, 8) : add.element(readOnly.address(), 8, 0x777700));
        s.pair.settle();
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), s.pair.a.sendStatuses());
        assertEquals(0x5a5a5a5a5a5a5a5aL, s.target.memory().get(ValueLayout.JAVA_LONG, 0));
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
}
