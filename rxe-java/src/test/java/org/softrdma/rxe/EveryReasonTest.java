// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.ForwardingLink;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Recording;
import org.softrdma.recording.Track;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Every reason of the catalogue that a RoCE device gives can be provoked; the flight recorder has it then, with its values. */
class EveryReasonTest {
    /** Reasons of iWARP devices and of the daemon, and those that need more than packets. */
    private static final Set<Reason> ELSEWHERE = EnumSet.of(
        // iWARP: StreamReasonTest
        Reason.CONNECTION_ENDED, Reason.STUCK_DISCONNECT, Reason.STREAM_TORN, Reason.STREAM_VIOLATION, Reason.TERMINATED,
        Reason.TERMINATED_ACCESS,
        // A record of a C program's ring, which the daemon refuses: RxeRingsTest
        Reason.RING_RECORD_INVALID,
        // A fault of this project, which ends a test where assertions are enabled: InternalErrorTest
        Reason.INTERNAL_ERROR);

    /** Class of ibping's datagrams. */
    private static final int PING_CLASS = 0x32;

    /** Longest message of a connected service, IBA chapter 9: 2^31 bytes. */
    private static final long LONGEST_MESSAGE = 0x80000000L;
    /** IBA §9.7.6.1.3: 4.096 µs × 2^14 at least; the device adds a millisecond, in which it reads what has arrived. */
    private static final long ACK_TIMEOUT_NS = (4096L << 14) + MS;
    /** IBA §9.7.5.2.8: RNR timer code 1 is 0.01 ms. */
    private static final long RNR_CODE_1_NS = 10_000;

    private static final Gid GROUP = Gid.ofIpv4(0xe0000105);
    private static final int FILE_BYTES = 4096;

    private static final long SEND = WrOpcode.SEND.value();
    private static final long WRITE = WrOpcode.RDMA_WRITE.value();
    private static final long READ = WrOpcode.RDMA_READ.value();

    /** Address of the FLUSH of a freed file. */
    private static long flushed;

    private static final Map<Reason, Scenario> SCENARIOS = new EnumMap<>(Reason.class);
    /** Values that a reason has in its scenario, in the order of its sentence, for reasons that have some. */
    private static final Map<Reason, Function<Ends, long[]>> PAIR_VALUES = new EnumMap<>(Reason.class);
    private static final Map<Reason, Function<RawPeer, long[]>> RAW_VALUES = new EnumMap<>(Reason.class);

    /** All recorded reasons; those of them whose values are recorded with them; and the expected values. */
    private record Outcome(Set<Reason> reasons, List<Failure> failures, long[] expected) {
    }

    /** Provokes something. */
    private interface Scenario {
        Outcome run();
    }

    /** A link whose datagrams arrive at another UDP port than RoCE's. */
    private static final class OtherPort extends ForwardingLink {
        OtherPort(Link link) {
            super(link);
        }

        @Override
        public int poll(FrameHandler handler, int limit) {
            return super.poll(frame -> handler.onFrame(frame.ports(frame.sourcePort(), 4790)), limit);
        }
    }

    /** Two connected devices with memory. */
    private static final class Ends {
        final SimulatedPair pair;
        final SendRequest wr = new SendRequest();
        final MemoryRegion local;
        final MemoryRegion target;
        /** A region or key that the case made. */
        MemoryRegion other;
        int key;

        Ends(SimulatedPair.Setup setup) {
            pair = new SimulatedPair(9, setup);
            local = pair.a.memory(8192, SimulatedPair.ALL_REMOTE);
            target = pair.b.memory(4096, SimulatedPair.ALL_REMOTE);
        }

        void post(SendRequest request) {
            pair.a.qp.postSend(request.signaled());
            pair.settle();
        }

        void receive(int bytes) {
            pair.b.qp.postReceive(new ReceiveRequest().begin(5).element(target, 0, bytes));
        }

        /** Binds a window of b to the queue pair that is given, and returns its key. */
        int window(QueuePair by) {
            int key = MemoryWindow.nextRkey(pair.b.pd.allocateMw(MemoryWindow.Type.TYPE_2).rkey());
            by.postSend(new SendRequest().bindWindow(key, target, target.address(), 64, AccessFlags.REMOTE_WRITE).signaled());
            pair.settle();
            return key;
        }

        long[] writeOf(int rkey, long address) {
            return new long[] {unsigned(rkey), WRITE, address, 8};
        }
    }

    private static long unsigned(int key) {
        return key & 0xffff_ffffL;
    }

    static {
        // ---- work requests of this end ----
        pair(Reason.LKEY_UNKNOWN, e -> e.post(e.wr.send().element(e.local.address(), 8, 0x777700)));
        pair(Reason.LKEY_OF_WINDOW, e -> {
            MemoryWindow window = e.pair.a.pd.allocateMw(MemoryWindow.Type.TYPE_1);
            e.key = window.rkey();
            e.post(e.wr.send().element(e.local.address(), 8, window.rkey()));
        });
        pair(Reason.LKEY_OTHER_PD, e -> {
            e.other = e.pair.a.context.allocatePd().register(Arena.ofAuto().allocate(64), AccessFlags.LOCAL_WRITE);
            e.post(e.wr.send().element(e.other, 0, 8));
        });
        pair(Reason.LKEY_ACCESS, e -> {
            e.other = e.pair.a.memory(64, 0);
            e.post(e.wr.read(e.target.address(), e.target.rkey()).element(e.other, 0, 8));
        });
        pair(Reason.LKEY_RANGE, e -> e.post(e.wr.send().element(e.local, 8185, 8)));
        pair(Reason.LOCAL_MEMORY_GONE, e -> {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(64);
            MemoryRegion gone = e.pair.a.pd.register(memory, AccessFlags.LOCAL_WRITE);
            e.other = gone;
            SendRequest request = e.wr.send().element(gone, 0, 8);
            arena.close();
            e.post(request);
        });
        pair(Reason.MESSAGE_TOO_LONG, e -> e.post(e.wr.write(e.target.address(), e.target.rkey())
            .element(e.local.address(), 0x80000000, e.local.lkey()).element(e.local, 0, 1)));
        pair(Reason.OPERAND_NOT_EIGHT_BYTES,
            e -> e.post(e.wr.fetchAndAdd(e.target.address(), e.target.rkey(), 1).element(e.local, 0, 4)));
        pair(Reason.RECEIVE_TOO_SMALL, e -> {
            e.receive(4);
            e.post(e.wr.send().element(e.local, 0, 8));
        });
        pair(Reason.NO_READ_DEPTH, setup -> setup.rdAtomic = 0,
            e -> e.post(e.wr.read(e.target.address(), e.target.rkey()).element(e.local, 0, 8)));
        pair(Reason.KEY_NOT_INVALIDATED, e -> e.post(e.wr.localInvalidate(e.local.rkey())));
        pair(Reason.BIND_REGION, e -> {
            e.key = MemoryWindow.nextRkey(e.pair.a.pd.allocateMw(MemoryWindow.Type.TYPE_2).rkey());
            e.post(e.wr.bindWindow(e.key, e.local, e.local.address() + 1, 8192, AccessFlags.REMOTE_WRITE));
        });
        pair(Reason.BIND_WINDOW,
            e -> e.post(e.wr.bindWindow(e.local.rkey(), e.local, e.local.address(), 8, AccessFlags.REMOTE_READ)));
        pair(Reason.PEER_CANNOT_INVALIDATE, e -> {
            e.receive(64);
            e.post(e.wr.sendWithInvalidate(e.target.rkey()).element(e.local, 0, 8));
        });
        for (Reason each : EnumSet.of(Reason.FLUSHED, Reason.ERR_BY_APPLICATION)) {
            pair(each, e -> {
                e.receive(8);
                e.pair.b.qp.modify(new QpAttributes().state(QpState.ERR));
                e.pair.settle();
            });
        }
        pair(Reason.COMPLETION_QUEUE_OVERRUN, setup -> setup.cqe = 1, e -> {
            for (int i = 0; i < 4; i++) {
                e.post(e.wr.write(e.target.address(), e.target.rkey()).element(e.local, 0, 8));
            }
        });
        raw(Reason.DATAGRAM_TOO_LONG, setup -> setup.type = QpType.UD, peer -> {
            MemoryRegion memory = peer.side.memory(8192, AccessFlags.LOCAL_WRITE);
            peer.side.qp.postSend(new SendRequest().send().element(memory, 0, 5000)
                .to(peer.side.pd.createAh(AddressVector.to(peer.gid(), 1)), 5, 6).signaled());
        });

        pair(Reason.PATH_MTU_TOO_LARGE, e -> {
            ((RxeContext) e.pair.a.context).running().portIs(new NetDevice("sim0", 1, 2, 600, true, true, false, List.of()));
            Rxe.setFaults(e.pair.b.context, LinkFaults.parse("drop=1,dir=both"));
            e.post(e.wr.write(e.target.address(), e.target.rkey()).element(e.local, 0, 1024));
        });

        // ---- answers of the peer, and their absence ----
        for (Reason each : EnumSet.of(Reason.NO_ANSWER, Reason.ACK_TIMEOUT)) {
            pair(each, setup -> setup.retryCount = 1, e -> {
                Rxe.setFaults(e.pair.b.context, LinkFaults.parse("drop=1,dir=both"));
                e.post(e.wr.send().element(e.local, 0, 8));
            });
        }
        sends(Reason.LOST_TOO_OFTEN, setup -> setup.retryCount = 0, peer -> peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE)));
        raw(Reason.PROBE_UNANSWERED, setup -> setup.options = RxeOptions.DEFAULT.withKeepAliveNs(10 * MS), peer -> peer.takeAll(5000 * MS));
        pair(Reason.RECEIVER_NOT_READY, setup -> setup.rnrRetry = 1, e -> e.post(e.wr.send().element(e.local, 0, 8)));
        sends(Reason.NAK_INVALID_REQUEST, setup -> { }, peer -> peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_INVALID)));
        sends(Reason.NAK_REMOTE_ACCESS, setup -> { }, peer -> peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_ACCESS)));
        sends(Reason.NAK_REMOTE_OPERATIONAL, setup -> { }, peer -> peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_OPERATIONAL)));
        sends(Reason.NAK_RESERVED, setup -> { }, peer -> peer.send(RawPacket.nak(THEIR_PSN, 0x70)));
        sends(Reason.RESPONSE_OF_OTHER_KIND, setup -> { },
            peer -> peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1).payload(8)));
        reads(Reason.RESPONSE_DOES_NOT_FIT, peer -> peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1).payload(12)));
        sends(Reason.SEQUENCE_NAK, setup -> { }, peer -> peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE)));
        for (Reason each : EnumSet.of(Reason.RNR_NAK, Reason.RNR_WAIT_OVER)) {
            sends(each, setup -> { }, peer -> peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 1)));
        }
        reads(Reason.RESPONSE_LOST, peer -> {
            peer.side.qp.postSend(new SendRequest().write(0, 0).signaled());
            peer.takeAll(MS);
            peer.send(RawPacket.ack(THEIR_PSN + 1));
        });
        for (Reason each : EnumSet.of(Reason.SILENT_PEER, Reason.PROBE_ACKNOWLEDGED)) {
            sends(each, setup -> setup.options = RxeOptions.DEFAULT.withRecovery(Recovery.EARLY), peer -> {
                peer.send(RawPacket.ack(THEIR_PSN));
                peer.runFor(MS);
                MemoryRegion memory = peer.side.memory(64, AccessFlags.LOCAL_WRITE);
                for (int i = 0; i < 2; i++) {
                    peer.side.qp.postSend(new SendRequest().send().element(memory, 0, 8).signaled());
                }
                peer.takeAll(6 * MS);
                peer.send(RawPacket.ack(THEIR_PSN + 1));
            });
        }

        // ---- requests of the peer ----
        pair(Reason.RKEY_UNKNOWN, e -> e.post(e.wr.write(e.target.address(), 0x777700).element(e.local, 0, 8)));
        pair(Reason.RKEY_OTHER_PD, e -> {
            e.other = e.pair.b.context.allocatePd().register(Arena.ofAuto().allocate(64), SimulatedPair.ALL_REMOTE);
            e.post(e.wr.write(e.other.address(), e.other.rkey()).element(e.local, 0, 8));
        });
        pair(Reason.RKEY_OTHER_QP, e -> {
            QueuePair other = e.pair.b.newQp(e.pair.b.pd);
            SimulatedPair.connect(other, e.pair.a.gid, 0x77, new SimulatedPair.Setup(), AccessFlags.REMOTE_ANY, 1, 2);
            e.key = e.window(other);
            e.post(e.wr.write(e.target.address(), e.key).element(e.local, 0, 8));
        });
        pair(Reason.RKEY_ACCESS, e -> {
            e.other = e.pair.b.memory(64, AccessFlags.REMOTE_READ);
            e.post(e.wr.write(e.other.address(), e.other.rkey()).element(e.local, 0, 8));
        });
        pair(Reason.RKEY_RANGE, e -> e.post(e.wr.write(e.target.address() + 4089, e.target.rkey()).element(e.local, 0, 8)));
        pair(Reason.REMOTE_MEMORY_GONE, e -> {
            Arena arena = Arena.ofShared();
            MemoryRegion gone = e.pair.b.pd.register(arena.allocate(64), SimulatedPair.ALL_REMOTE);
            e.other = gone;
            SendRequest request = e.wr.write(gone.address(), gone.rkey()).element(e.local, 0, 8);
            arena.close();
            e.post(request);
        });
        pair(Reason.QP_ACCESS, setup -> setup.accessB = 0,
            e -> e.post(e.wr.write(e.target.address(), e.target.rkey()).element(e.local, 0, 8)));
        packet(Reason.UNKNOWN_OPERATION, RawPacket.of(0x15, OUR_PSN).payload(64));
        packet(Reason.MESSAGE_ORDER, RawPacket.of(RawPacket.SEND_LAST, OUR_PSN).payload(8));
        pair(Reason.TOO_MANY_READS, setup -> setup.destRdAtomic = 0,
            e -> e.post(e.wr.read(e.target.address(), e.target.rkey()).element(e.local, 0, 8)));
        raw(Reason.XRC_QUEUE, setup -> setup.type = QpType.XRC_RECV,
            peer -> peer.send(RawPacket.of(RawPacket.XRC + RawPacket.SEND_ONLY, OUR_PSN).xrceth(0x1234).payload(8)));
        packet(Reason.PACKET_LENGTH, RawPacket.of(RawPacket.SEND_FIRST, OUR_PSN).payload(8));
        packet(Reason.REQUEST_TOO_LONG, RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(0, 0, 0x80000001L));
        packet(Reason.OPERAND_ALIGNMENT, RawPacket.of(RawPacket.FETCH_ADD, OUR_PSN).atomic(1, 2, 3, 4));
        packet(Reason.FLUSH_REACH, RawPacket.of(RawPacket.FLUSH, OUR_PSN).feth(0, 0).reth(0, 0, 8));
        packet(Reason.NO_RECEIVE, RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8));
        raw(Reason.FLUSH_FAILED, setup -> setup.accessA |= AccessFlags.FLUSH_PERSISTENT, EveryReasonTest::flushOfAFreedFile);
        packet(Reason.GAP, RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN + 1).payload(8));

        // ---- packets that are dropped ----
        raw(Reason.DROP_TOO_SHORT, setup -> { }, peer -> peer.sendBytes(new byte[15]));
        packet(Reason.DROP_BAD_LENGTH, RawPacket.of(RawPacket.WRITE_ONLY, OUR_PSN));
        SCENARIOS.put(Reason.DROP_BAD_PORT, () -> {
            RawPeer peer = new RawPeer(new SimulatedPair.Setup(), OtherPort::new);
            peer.send(RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8));
            peer.takeAll(MS);
            return outcome(new long[0], peer.side.context);
        });
        packet(Reason.DROP_BAD_VERSION, RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8).version(1));
        packet(Reason.DROP_UNKNOWN_OPCODE, RawPacket.of(0x1f, OUR_PSN).destQpn(3));
        packet(Reason.DROP_UNKNOWN_QPN, RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8).destQpn(0xfffff0));
        packet(Reason.DROP_BAD_ICRC, RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8).badIcrc());
        packet(Reason.DROP_BAD_PKEY, RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8).pkey(0x1234));
        raw(Reason.DROP_WRONG_ADDRESS, setup -> { },
            peer -> peer.sendFromElsewhere(RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8)));
        raw(Reason.DROP_QP_STATE, setup -> { }, peer -> {
            peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
            peer.send(RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8));
        });
        packet(Reason.DROP_UNSENT_PSN_RESPONSE, RawPacket.ack(THEIR_PSN));
        sends(Reason.DROP_DUPLICATE_RESPONSE, setup -> { }, peer -> peer.send(RawPacket.ack(THEIR_PSN), RawPacket.ack(THEIR_PSN)));
        sends(Reason.DROP_UNEXPECTED_RESPONSE, setup -> { }, peer -> peer.send(RawPacket.nak(THEIR_PSN, 0x40)));
        raw(Reason.DROP_UNKNOWN_DUPLICATE, setup -> { },
            peer -> peer.send(RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN - 1).reth(1, 2, 8)));
        raw(Reason.DROP_RESPONSE_QUEUE_FULL, setup -> setup.destRdAtomic = 1, peer -> {
            MemoryRegion memory = peer.side.memory(1 << 16, SimulatedPair.ALL_REMOTE);
            peer.send(RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(memory.address(), memory.rkey(), 10 * 1024));
            peer.takeAll(MS);
            RawPacket[] again = new RawPacket[10];
            Arrays.setAll(again,
                i -> RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN + i).reth(memory.address() + i * 1024L, memory.rkey(), 1024));
            peer.send(again);
        });
        packet(Reason.DROP_WRONG_SERVICE, RawPacket.of(RawPacket.UC | RawPacket.SEND_ONLY, OUR_PSN).payload(8));
        uc(Reason.DROP_OUT_OF_SEQUENCE, peer -> peer.send(RawPacket.of(RawPacket.UC | RawPacket.SEND_LAST, OUR_PSN + 1).payload(8)));
        uc(Reason.DROP_BAD_REQUEST, peer -> {
            MemoryRegion memory = peer.side.memory(64, SimulatedPair.ALL_REMOTE);
            peer.side.qp.postReceive(new ReceiveRequest().begin(1).element(memory, 0, 64));
            peer.send(RawPacket.of(RawPacket.UC | RawPacket.SEND_FIRST, OUR_PSN).payload(8));
        });
        uc(Reason.DROP_ACCESS, peer -> peer.send(RawPacket.of(RawPacket.UC | RawPacket.WRITE_ONLY, OUR_PSN).reth(1, 2, 8).payload(8)));
        uc(Reason.DROP_NO_RECEIVE, peer -> peer.send(RawPacket.of(RawPacket.UC | RawPacket.SEND_ONLY, OUR_PSN).payload(8)));
        ud(Reason.DROP_RECEIVE_TOO_SMALL, RawPacket.of(RawPacket.UD_SEND, OUR_PSN).deth(0x11111111, 1).payload(61));
        SCENARIOS.put(Reason.DROP_UNKNOWN_GROUP, () -> {
            List<Link> links = new ArrayList<>();
            SimulatedPair.Setup setup = new SimulatedPair.Setup();
            setup.type = QpType.UD;
            RawPeer peer = new RawPeer(setup, link -> {
                links.add(link);
                return link;
            });
            // As if a device of another process had joined it: the host receives what no queue pair here wants.
            links.getFirst().join(GROUP);
            peer.sendToGroup(GROUP, RawPacket.of(RawPacket.UD_SEND, 1).deth(0x11111111, 9).payload(8).destQpn(0xffffff));
            peer.takeAll(MS);
            return outcome(new long[0], peer.side.context);
        });
        ud(Reason.DROP_BAD_QKEY, RawPacket.of(RawPacket.UD_SEND, OUR_PSN).deth(0x22222222, 1).payload(8));
        packet(Reason.DROP_GSI_NO_MAD, RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8).destQpn(1));
        packet(Reason.DROP_GSI_BAD_QKEY, RawPacket.of(RawPacket.UD_SEND, 0).deth(0x11111111, 1).payload(256).destQpn(1));
        raw(Reason.DROP_GSI_FULL, setup -> { }, peer -> {
            for (int i = 0; i < 4000; i++) {
                peer.send(RawPacket.of(RawPacket.UD_SEND, i).deth(0x80010000, 1).payload(256).destQpn(1));
            }
        });
        raw(Reason.DROP_MAD_AGENT_FULL, setup -> { }, peer -> {
            peer.side.context.openMadAgent(PING_CLASS);
            byte[] mad = new byte[256];
            mad[0] = 1;
            mad[1] = PING_CLASS;
            for (int i = 0; i < 100; i++) {
                peer.send(RawPacket.of(RawPacket.UD_SEND, i).deth(0x80010000, 1).payload(mad).destQpn(1));
                peer.runFor(MS);
            }
        });
        raw(Reason.DROP_GHOST_REQUEST, setup -> { }, peer -> {
            peer.side.qp.close();
            peer.send(RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(0, 0, 8));
        });
    }

    static {
        PAIR_VALUES.put(Reason.LKEY_UNKNOWN, e -> new long[] {0x777700, e.local.address(), 8});
        PAIR_VALUES.put(Reason.LKEY_OF_WINDOW, e -> new long[] {unsigned(e.key)});
        PAIR_VALUES.put(Reason.LKEY_OTHER_PD, e -> new long[] {unsigned(e.other.lkey())});
        PAIR_VALUES.put(Reason.LKEY_ACCESS, e -> new long[] {unsigned(e.other.lkey()), 0, AccessFlags.LOCAL_WRITE});
        PAIR_VALUES.put(Reason.LKEY_RANGE,
            e -> new long[] {unsigned(e.local.lkey()), e.local.address(), 8192, e.local.address() + 8185, 8});
        PAIR_VALUES.put(Reason.LOCAL_MEMORY_GONE, e -> new long[] {unsigned(e.other.lkey()), e.other.address(), 8});
        PAIR_VALUES.put(Reason.MESSAGE_TOO_LONG, e -> new long[] {LONGEST_MESSAGE + 1, LONGEST_MESSAGE});
        PAIR_VALUES.put(Reason.OPERAND_NOT_EIGHT_BYTES, e -> new long[] {WrOpcode.ATOMIC_FETCH_AND_ADD.value(), 4});
        PAIR_VALUES.put(Reason.RECEIVE_TOO_SMALL, e -> new long[] {8, 4});
        PAIR_VALUES.put(Reason.NO_READ_DEPTH, e -> new long[] {READ});
        PAIR_VALUES.put(Reason.KEY_NOT_INVALIDATED, e -> new long[] {unsigned(e.local.rkey())});
        PAIR_VALUES.put(Reason.BIND_REGION,
            e -> new long[] {unsigned(e.key), e.local.address() + 1, 8192, unsigned(e.local.lkey())});
        PAIR_VALUES.put(Reason.BIND_WINDOW, e -> new long[] {unsigned(e.local.rkey())});
        PAIR_VALUES.put(Reason.PEER_CANNOT_INVALIDATE, e -> new long[] {unsigned(e.target.rkey())});
        RAW_VALUES.put(Reason.DATAGRAM_TOO_LONG, peer -> new long[] {5000, 4096});
        PAIR_VALUES.put(Reason.PATH_MTU_TOO_LARGE, e -> new long[] {1024, 512});

        PAIR_VALUES.put(Reason.NO_ANSWER, e -> new long[] {e.pair.b.qp.qpNum(), 2, ACK_TIMEOUT_NS});
        PAIR_VALUES.put(Reason.ACK_TIMEOUT, e -> new long[] {ACK_TIMEOUT_NS});
        RAW_VALUES.put(Reason.LOST_TOO_OFTEN, peer -> new long[] {1});
        RAW_VALUES.put(Reason.PROBE_UNANSWERED, peer -> new long[] {RawPeer.QPN, 8});
        PAIR_VALUES.put(Reason.RECEIVER_NOT_READY, e -> new long[] {e.pair.b.qp.qpNum(), 2});
        RAW_VALUES.put(Reason.NAK_INVALID_REQUEST, peer -> new long[] {SEND, 8});
        RAW_VALUES.put(Reason.NAK_REMOTE_ACCESS, peer -> new long[] {SEND, 0, 8, 0});
        RAW_VALUES.put(Reason.NAK_REMOTE_OPERATIONAL, peer -> new long[] {SEND, 8});
        RAW_VALUES.put(Reason.NAK_RESERVED, peer -> new long[] {0x70});
        RAW_VALUES.put(Reason.RESPONSE_OF_OTHER_KIND, peer -> new long[] {SEND, RawPacket.READ_ONLY});
        RAW_VALUES.put(Reason.RESPONSE_DOES_NOT_FIT, peer -> new long[] {12, READ});
        RAW_VALUES.put(Reason.SEQUENCE_NAK, peer -> new long[] {THEIR_PSN});
        RAW_VALUES.put(Reason.RNR_NAK, peer -> new long[] {RNR_CODE_1_NS});
        // The ACK of the packet after the READ covers everything before the next PSN.
        RAW_VALUES.put(Reason.RESPONSE_LOST, peer -> new long[] {THEIR_PSN + 2 & 0xffffff});

        PAIR_VALUES.put(Reason.RKEY_UNKNOWN, e -> e.writeOf(0x777700, e.target.address()));
        PAIR_VALUES.put(Reason.RKEY_OTHER_PD, e -> e.writeOf(e.other.rkey(), e.other.address()));
        PAIR_VALUES.put(Reason.RKEY_OTHER_QP, e -> e.writeOf(e.key, e.target.address()));
        PAIR_VALUES.put(Reason.RKEY_ACCESS,
            e -> new long[] {unsigned(e.other.rkey()), AccessFlags.REMOTE_READ, WRITE, AccessFlags.REMOTE_WRITE});
        PAIR_VALUES.put(Reason.RKEY_RANGE,
            e -> new long[] {unsigned(e.target.rkey()), e.target.address(), 4096, WRITE, e.target.address() + 4089, 8});
        PAIR_VALUES.put(Reason.REMOTE_MEMORY_GONE, e -> e.writeOf(e.other.rkey(), e.other.address()));
        PAIR_VALUES.put(Reason.QP_ACCESS, e -> new long[] {0, WRITE, AccessFlags.REMOTE_WRITE});
        RAW_VALUES.put(Reason.UNKNOWN_OPERATION, peer -> new long[] {0x15});
        RAW_VALUES.put(Reason.MESSAGE_ORDER, peer -> new long[] {RawPacket.SEND_LAST});
        PAIR_VALUES.put(Reason.TOO_MANY_READS, e -> new long[] {0});
        RAW_VALUES.put(Reason.XRC_QUEUE, peer -> new long[] {0x1234});
        RAW_VALUES.put(Reason.PACKET_LENGTH, peer -> new long[] {8, 1024});
        RAW_VALUES.put(Reason.REQUEST_TOO_LONG, peer -> new long[] {LONGEST_MESSAGE + 1, LONGEST_MESSAGE});
        RAW_VALUES.put(Reason.OPERAND_ALIGNMENT, peer -> new long[] {WrOpcode.ATOMIC_FETCH_AND_ADD.value(), 1});
        RAW_VALUES.put(Reason.FLUSH_FAILED, peer -> new long[] {flushed, 128});
        RAW_VALUES.put(Reason.GAP, peer -> new long[] {OUR_PSN + 1, OUR_PSN});

        RAW_VALUES.put(Reason.DROP_UNKNOWN_OPCODE, peer -> new long[] {0x1f, 3});
        RAW_VALUES.put(Reason.DROP_UNKNOWN_QPN, peer -> new long[] {0xfffff0});
        RAW_VALUES.put(Reason.DROP_BAD_PKEY, peer -> new long[] {0x1234});
        RAW_VALUES.put(Reason.DROP_WRONG_ADDRESS, peer -> new long[] {peer.side.qp.qpNum()});
        RAW_VALUES.put(Reason.DROP_QP_STATE, peer -> new long[] {peer.side.qp.qpNum(), QpState.ERR.value()});
        for (Reason each : EnumSet.of(Reason.DROP_UNSENT_PSN_RESPONSE, Reason.DROP_DUPLICATE_RESPONSE, Reason.DROP_UNEXPECTED_RESPONSE)) {
            RAW_VALUES.put(each, peer -> new long[] {THEIR_PSN});
        }
        RAW_VALUES.put(Reason.DROP_UNKNOWN_DUPLICATE, peer -> new long[] {OUR_PSN - 1});
        // The last of ten requests, at least, finds the queue full.
        RAW_VALUES.put(Reason.DROP_RESPONSE_QUEUE_FULL, peer -> new long[] {OUR_PSN + 9 & 0xffffff});
        RAW_VALUES.put(Reason.DROP_WRONG_SERVICE, peer -> new long[] {RawPacket.UC | RawPacket.SEND_ONLY});
        RAW_VALUES.put(Reason.DROP_OUT_OF_SEQUENCE, peer -> new long[] {OUR_PSN + 1});
        RAW_VALUES.put(Reason.DROP_BAD_REQUEST, peer -> new long[] {8});
        RAW_VALUES.put(Reason.DROP_RECEIVE_TOO_SMALL, peer -> new long[] {61 + 40, 100});
        RAW_VALUES.put(Reason.DROP_BAD_QKEY, peer -> new long[] {0x22222222, 0x11111111});
        RAW_VALUES.put(Reason.DROP_GSI_BAD_QKEY, peer -> new long[] {0x11111111});
        RAW_VALUES.put(Reason.DROP_GHOST_REQUEST, peer -> new long[] {peer.side.qp.qpNum()});
    }

    private static void pair(Reason reason, Consumer<Ends> act) {
        pair(reason, setup -> { }, act);
    }

    private static void pair(Reason reason, Consumer<SimulatedPair.Setup> change, Consumer<Ends> act) {
        SCENARIOS.put(reason, () -> {
            SimulatedPair.Setup setup = new SimulatedPair.Setup();
            change.accept(setup);
            Ends ends = new Ends(setup);
            act.accept(ends);
            return outcome(PAIR_VALUES.getOrDefault(reason, unused -> new long[0]).apply(ends), ends.pair.a.context, ends.pair.b.context);
        });
    }

    private static void raw(Reason reason, Consumer<SimulatedPair.Setup> change, Consumer<RawPeer> act) {
        SCENARIOS.put(reason, () -> {
            SimulatedPair.Setup setup = new SimulatedPair.Setup();
            change.accept(setup);
            RawPeer peer = new RawPeer(setup);
            act.accept(peer);
            peer.takeAll(100 * MS);
            return outcome(RAW_VALUES.getOrDefault(reason, unused -> new long[0]).apply(peer), peer.side.context);
        });
    }

    /** A FLUSH for persistence of a mapped file, whose mapping has been removed meanwhile. */
    private static void flushOfAFreedFile(RawPeer peer) {
        try {
            Path file = Files.createTempFile("flush", null);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE)) {
                Arena arena = Arena.ofShared();
                MemoryRegion region = peer.side.pd.register(channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, arena),
                    AccessFlags.LOCAL_WRITE | AccessFlags.FLUSH_PERSISTENT);
                flushed = region.address() + 64;
                RawPacket flush = RawPacket.of(RawPacket.FLUSH, OUR_PSN).feth(2, 0).reth(flushed, region.rkey(), 128).ackRequest();
                arena.close();
                peer.send(flush);
                peer.takeAll(MS);
            }
        } catch (IOException unexpected) {
            throw new UncheckedIOException(unexpected);
        }
    }

    /** One packet for an RC queue pair. */
    private static void packet(Reason reason, RawPacket packet) {
        raw(reason, setup -> { }, peer -> peer.send(packet));
    }

    /** The answer to a SEND. */
    private static void sends(Reason reason, Consumer<SimulatedPair.Setup> change, Consumer<RawPeer> answer) {
        raw(reason, change, peer -> {
            MemoryRegion memory = peer.side.memory(64, AccessFlags.LOCAL_WRITE);
            peer.side.qp.postSend(new SendRequest().send().element(memory, 0, 8).signaled());
            peer.expect();
            answer.accept(peer);
        });
    }

    /** The answer to a READ of eight bytes. */
    private static void reads(Reason reason, Consumer<RawPeer> answer) {
        raw(reason, setup -> { }, peer -> {
            MemoryRegion memory = peer.side.memory(64, AccessFlags.LOCAL_WRITE);
            peer.side.qp.postSend(new SendRequest().read(0, 0).element(memory, 0, 8).signaled());
            peer.expect();
            answer.accept(peer);
        });
    }

    private static void uc(Reason reason, Consumer<RawPeer> act) {
        raw(reason, setup -> setup.type = QpType.UC, act);
    }

    /** One packet for a UD queue pair with a receive of 100 bytes. */
    private static void ud(Reason reason, RawPacket packet) {
        raw(reason, setup -> setup.type = QpType.UD, peer -> {
            MemoryRegion memory = peer.side.memory(128, AccessFlags.LOCAL_WRITE);
            peer.side.qp.postReceive(new ReceiveRequest().begin(1).element(memory, 0, 100));
            peer.send(packet);
        });
    }

    private static Outcome outcome(long[] expected, Context... contexts) {
        Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        List<Failure> failures = new ArrayList<>();
        for (Context context : contexts) {
            Recording recording = FlightRecorder.of(context).record();
            for (Track track : recording.tracks()) {
                for (RecordedEvent event : track.events()) {
                    if (event instanceof RecordedEvent.Occurrence occurrence) {
                        failures.add(occurrence.failure());
                        reasons.add(occurrence.failure().reason());
                    } else if (event instanceof RecordedEvent.Flushed) {
                        reasons.add(Reason.FLUSHED);
                    } else if (event instanceof RecordedEvent.Completed completed && completed.reason() != null) {
                        reasons.add(completed.reason());
                    }
                }
            }
        }
        return new Outcome(reasons, failures, expected);
    }

    static Stream<Reason> reasons() {
        return EnumSet.complementOf(EnumSet.copyOf(ELSEWHERE)).stream();
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void shouldBeProvokedAndRecorded(Reason reason) {
        Scenario scenario = SCENARIOS.get(reason);
        assertNotNull(scenario, "no case provokes it");
        Outcome outcome = scenario.run();
        assertTrue(outcome.reasons.contains(reason), () -> "recorded: " + outcome.reasons);
        assertEquals(reason.text().values().size(), outcome.expected.length, "the case states each value of the sentence");
        if (outcome.expected.length > 0) {
            List<String> seen = outcome.failures.stream().filter(each -> each.reason() == reason).map(EveryReasonTest::values).toList();
            assertTrue(seen.contains(Arrays.toString(outcome.expected)),
                () -> "recorded: " + seen + ", expected: " + Arrays.toString(outcome.expected));
        }
    }

    private static String values(Failure failure) {
        long[] values = new long[failure.valueCount()];
        Arrays.setAll(values, failure::value);
        return Arrays.toString(values);
    }
}
