// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Recording;
import org.softrdma.recording.Track;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.reason.Reason;

/** Every reason of the catalogue that a RoCE device gives can be provoked; the flight recorder has it then. */
class EveryReasonTest {
    /** Reasons of iWARP devices and of the daemon, and those that need more than packets. */
    private static final Set<Reason> ELSEWHERE = EnumSet.of(
        // iWARP: StreamReasonTest
        Reason.CONNECTION_ENDED, Reason.STUCK_DISCONNECT, Reason.STREAM_TORN, Reason.STREAM_VIOLATION, Reason.TERMINATED,
        Reason.TERMINATED_ACCESS,
        // A record of a C program's ring, which the daemon refuses
        Reason.RING_RECORD_INVALID,
        // Faults of this project or of a file system
        Reason.INTERNAL_ERROR, Reason.FLUSH_FAILED,
        // Groups that the host is in and no queue pair: a device of another process joined it
        Reason.DROP_UNKNOWN_GROUP,
        // A link delivers datagrams of its own port only
        Reason.DROP_BAD_PORT);

    /** Class of ibping's datagrams. */
    private static final int PING_CLASS = 0x32;

    private static final Map<Reason, Scenario> SCENARIOS = new EnumMap<>(Reason.class);

    /** Provokes something, and returns the reasons that the devices recorded. */
    private interface Scenario {
        Set<Reason> run();
    }

    /** Two connected devices with memory. */
    private static final class Ends {
        final SimulatedPair pair;
        final SendRequest wr = new SendRequest();
        final MemoryRegion local;
        final MemoryRegion target;

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
    }

    static {
        // ---- work requests of this end ----
        pair(Reason.LKEY_UNKNOWN, e -> e.post(e.wr.send().element(e.local.address(), 8, 0x777700)));
        pair(Reason.LKEY_OF_WINDOW, e -> {
            MemoryWindow window = e.pair.a.pd.allocateMw(MemoryWindow.Type.TYPE_1);
            e.post(e.wr.send().element(e.local.address(), 8, window.rkey()));
        });
        pair(Reason.LKEY_OTHER_PD, e -> {
            MemoryRegion other = e.pair.a.context.allocatePd().register(Arena.ofAuto().allocate(64), AccessFlags.LOCAL_WRITE);
            e.post(e.wr.send().element(other, 0, 8));
        });
        pair(Reason.LKEY_ACCESS, e -> e.post(e.wr.read(e.target.address(), e.target.rkey()).element(e.pair.a.memory(64, 0), 0, 8)));
        pair(Reason.LKEY_RANGE, e -> e.post(e.wr.send().element(e.local, 8185, 8)));
        pair(Reason.LOCAL_MEMORY_GONE, e -> {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(64);
            MemoryRegion gone = e.pair.a.pd.register(memory, AccessFlags.LOCAL_WRITE);
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
        pair(Reason.BIND_REGION, e -> e.post(e.wr.bindWindow(MemoryWindow.nextRkey(e.pair.a.pd.allocateMw(MemoryWindow.Type.TYPE_2).rkey()),
            e.local, e.local.address() + 1, 8192, AccessFlags.REMOTE_WRITE)));
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
            MemoryRegion other = e.pair.b.context.allocatePd().register(Arena.ofAuto().allocate(64), SimulatedPair.ALL_REMOTE);
            e.post(e.wr.write(other.address(), other.rkey()).element(e.local, 0, 8));
        });
        pair(Reason.RKEY_OTHER_QP, e -> {
            QueuePair other = e.pair.b.newQp(e.pair.b.pd);
            SimulatedPair.connect(other, e.pair.a.gid, 0x77, new SimulatedPair.Setup(), AccessFlags.REMOTE_ANY, 1, 2);
            e.post(e.wr.write(e.target.address(), e.window(other)).element(e.local, 0, 8));
        });
        pair(Reason.RKEY_ACCESS, e -> {
            MemoryRegion readable = e.pair.b.memory(64, AccessFlags.REMOTE_READ);
            e.post(e.wr.write(readable.address(), readable.rkey()).element(e.local, 0, 8));
        });
        pair(Reason.RKEY_RANGE, e -> e.post(e.wr.write(e.target.address() + 4089, e.target.rkey()).element(e.local, 0, 8)));
        pair(Reason.REMOTE_MEMORY_GONE, e -> {
            Arena arena = Arena.ofShared();
            MemoryRegion gone = e.pair.b.pd.register(arena.allocate(64), SimulatedPair.ALL_REMOTE);
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
        packet(Reason.GAP, RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN + 1).payload(8));

        // ---- packets that are dropped ----
        raw(Reason.DROP_TOO_SHORT, setup -> { }, peer -> peer.sendBytes(new byte[15]));
        packet(Reason.DROP_BAD_LENGTH, RawPacket.of(RawPacket.WRITE_ONLY, OUR_PSN));
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

    private static void pair(Reason reason, Consumer<Ends> act) {
        pair(reason, setup -> { }, act);
    }

    private static void pair(Reason reason, Consumer<SimulatedPair.Setup> change, Consumer<Ends> act) {
        SCENARIOS.put(reason, () -> {
            SimulatedPair.Setup setup = new SimulatedPair.Setup();
            change.accept(setup);
            Ends ends = new Ends(setup);
            act.accept(ends);
            Set<Reason> seen = recorded(ends.pair.a.context);
            seen.addAll(recorded(ends.pair.b.context));
            return seen;
        });
    }

    private static void raw(Reason reason, Consumer<SimulatedPair.Setup> change, Consumer<RawPeer> act) {
        SCENARIOS.put(reason, () -> {
            SimulatedPair.Setup setup = new SimulatedPair.Setup();
            change.accept(setup);
            RawPeer peer = new RawPeer(setup);
            act.accept(peer);
            peer.takeAll(100 * MS);
            return recorded(peer.side.context);
        });
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

    private static Set<Reason> recorded(Context context) {
        Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        Recording recording = FlightRecorder.of(context).record();
        for (Track track : recording.tracks()) {
            for (RecordedEvent event : track.events()) {
                if (event instanceof RecordedEvent.Occurrence occurrence) {
                    reasons.add(occurrence.failure().reason());
                } else if (event instanceof RecordedEvent.Flushed) {
                    reasons.add(Reason.FLUSHED);
                } else if (event instanceof RecordedEvent.Completed completed && completed.reason() != null) {
                    reasons.add(completed.reason());
                }
            }
        }
        return reasons;
    }

    static Stream<Reason> reasons() {
        return EnumSet.complementOf(EnumSet.copyOf(ELSEWHERE)).stream();
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void shouldBeProvokedAndRecorded(Reason reason) {
        Scenario scenario = SCENARIOS.get(reason);
        assertNotNull(scenario, "no case provokes it");
        Set<Reason> seen = scenario.run();
        assertTrue(seen.contains(reason), () -> "recorded: " + seen);
    }
}
