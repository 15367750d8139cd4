// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.recording.EventCollection;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Recording;
import org.softrdma.recording.Track;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** The flight recorder of simulated devices. */
class FlightRecorderTest {
    /** Seed that loses the second packet that is sent, and no other. */
    private static final long LOSES_THE_SECOND = 1;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();

    private static Track trackOf(SimulatedPair.Side side) {
        return FlightRecorder.of(side.context).record(side.qp.qpNum()).tracks().stream()
            .filter(track -> track.head().kind() == Track.Kind.QUEUE_PAIR).findFirst().orElseThrow();
    }

    /** Events in a short form: what and, of packets, the place in the work request. */
    private static List<String> story(Track track) {
        List<String> lines = new ArrayList<>();
        for (RecordedEvent event : track.events()) {
            lines.add(switch (event) {
                case RecordedEvent.Packet packet -> (packet.sent() ? "> " : "< ") + (packet.work() == null ? packet.length() + " bytes"
                    : packet.work()) + (packet.again() ? ", again: " + packet.because() : "");
                case RecordedEvent.StateChange change -> change.from() + " " + change.to();
                case RecordedEvent.Posted posted -> "posted " + posted.requests();
                case RecordedEvent.Completed completed -> "completed " + completed.wrId() + " " + completed.status();
                case RecordedEvent.Flushed flushed -> "flushed " + flushed.requests();
                case RecordedEvent.Raised raised -> "raised " + raised.type();
                case RecordedEvent.Occurrence occurrence -> occurrence.effect() + " " + occurrence.failure().reason();
            });
        }
        return lines;
    }

    private SimulatedPair lossyPair() {
        setup.faults = FaultPlan.NONE.withLoss(0.1);
        return new SimulatedPair(LOSES_THE_SECOND, setup);
    }

    private static void write(SimulatedPair pair, long wrId, int bytes) {
        MemoryRegion from = pair.a.memory(bytes, 0);
        MemoryRegion to = pair.b.memory(bytes, SimulatedPair.ALL_REMOTE);
        pair.a.qp.postSend(new SendRequest().write(to.address(), to.rkey()).wrId(wrId).element(from, 0, bytes).signaled());
        int done = pair.a.sends().size();
        pair.runUntil(() -> pair.a.sends().size() > done);
    }

    /** The option of the device: the last four events, or none. */
    @Test
    void shouldRecordAsManyEventsAsAskedFor() {
        setup.options = RxeOptions.DEFAULT.withRecordedEvents(4);
        SimulatedPair pair = new SimulatedPair(1, setup);
        write(pair, 7, 100);
        Track track = trackOf(pair.a);
        assertEquals(List.of("posted 1", "> work request 7, packet 1 of 1", "< 20 bytes", "completed 7 SUCCESS"), story(track));
        assertEquals(3, track.missed(), "RESET to INIT, RTR and RTS");

        setup.options = RxeOptions.DEFAULT.withRecordedEvents(0);
        pair = new SimulatedPair(1, setup);
        write(pair, 7, 100);
        assertEquals(List.of(), FlightRecorder.of(pair.a.context).record().tracks());
    }

    @Test
    void shouldTellTheStoryOfALostPacketAtBothEnds() {
        SimulatedPair pair = lossyPair();
        write(pair, 7, 3000);
        assertEquals(List.of("RESET INIT", "INIT RTR", "RTR RTS", "posted 1", "> work request 7, packet 1 of 3",
            "> work request 7, packet 2 of 3", "> work request 7, packet 3 of 3", "< 20 bytes", "REPEATS SEQUENCE_NAK",
            "> work request 7, packet 2 of 3, again: SEQUENCE_NAK", "> work request 7, packet 3 of 3, again: SEQUENCE_NAK", "< 20 bytes",
            "completed 7 SUCCESS"), story(trackOf(pair.a)));
        assertEquals(List.of("RESET INIT", "INIT RTR", "RTR RTS", "< 1056 bytes", "< 968 bytes", "DROPPED GAP", "> 20 bytes",
            "< 1040 bytes", "< 968 bytes", "> 20 bytes"), story(trackOf(pair.b)));
        assertTrue(trackOf(pair.a).isPeerOf(trackOf(pair.b)));
    }

    /** BTH, RETH, 100 bytes, ICRC. */
    @Test
    void shouldRecordTheLengthOfPackets() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        write(pair, 7, 100);
        List<Integer> lengths = Stream.of(pair.a, pair.b).flatMap(side -> trackOf(side).events().stream())
            .filter(RecordedEvent.Packet.class::isInstance).map(event -> ((RecordedEvent.Packet) event).length()).toList();
        assertEquals(List.of(132, 20, 132, 20), lengths, "sent and received, at each end");
    }

    /** BTH, DETH, 10 bytes, 2 of pad, ICRC; its destination is that of the work request. */
    @Test
    void shouldRecordDatagramsWithTheirDestination() {
        setup.type = QpType.UD;
        SimulatedPair pair = new SimulatedPair(1, setup);
        pair.a.qp.postSend(new SendRequest().send().wrId(7).element(pair.a.memory(10, 0), 0, 10)
            .to(pair.a.pd.createAh(AddressVector.to(pair.b.gid, 1)), pair.b.qp.qpNum(), setup.qkey));
        pair.simulation.runFor(1_000_000);
        RecordedEvent.Packet sent = trackOf(pair.a).events().stream().filter(RecordedEvent.Packet.class::isInstance)
            .map(RecordedEvent.Packet.class::cast).findFirst().orElseThrow();
        assertEquals(36, sent.length());
        assertEquals(pair.b.gid, sent.remote());
        assertEquals("ffff", HexFormat.of().formatHex(sent.headers(), 2, 4), "P_Key");
        assertEquals("work request 7, packet 1 of 1", sent.work().toString());
    }

    @Test
    void shouldUseTheClockOfTheSimulation() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        write(pair, 1, 8);
        Recording recording = FlightRecorder.of(pair.a.context).record();
        assertEquals(Recording.Clock.VIRTUAL, recording.clock());
        List<RecordedEvent> events = trackOf(pair.a).events();
        assertEquals(pair.fabric.nowNs(), events.getLast().timeNs());
        assertEquals(0, events.getFirst().timeNs());
    }

    @Test
    void shouldRecordOneQueuePairOrAll() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        QueuePair other = pair.a.newQp(pair.a.pd);
        other.modify(SimulatedPair.init(setup, 0));
        FlightRecorder recorder = FlightRecorder.of(pair.a.context);
        assertEquals(List.of(pair.a.qp.qpNum(), other.qpNum()), numbers(recorder.record()));
        assertEquals(List.of(other.qpNum()), numbers(recorder.record(other.qpNum())));
        assertEquals(List.of(), numbers(recorder.record(1)));
        other.close();
        assertEquals(List.of(pair.a.qp.qpNum()), numbers(recorder.record()));
    }

    private static List<Integer> numbers(Recording recording) {
        return recording.tracks().stream().map(track -> track.head().number()).toList();
    }

    @Test
    void shouldDescribeTheEnds() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        Track.Head head = trackOf(pair.a).head();
        assertEquals("RC", head.type());
        assertEquals("RTS", head.state());
        assertEquals(pair.b.qp.qpNum(), head.peer());
        assertEquals(pair.a.gid, head.local());
        assertEquals(pair.b.gid, head.remote());
        assertEquals(1024, head.pathMtu());
        assertEquals(ProcessHandle.current().pid(), head.pid());
        assertEquals(4791, head.remotePort());
    }

    /** The events are numbered without gaps across copies, so that a reader who comes again knows what is new. */
    @Test
    void shouldCollectEverythingThatTheRingForgets() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        try (EventCollection all = FlightRecorder.of(pair.a.context).collect(10_000)) {
            for (int i = 0; i < 200; i++) {
                write(pair, i, 8);
            }
            Track whole = all.recording().tracks().getFirst();
            assertEquals(800, whole.events().size(), "posted, sent, acknowledged and completed");
            Track ring = trackOf(pair.a);
            assertEquals(256, ring.events().size());
            assertEquals(803 - 256, ring.missed(), "three changes of state were before the collection");
            assertEquals(whole.events().subList(800 - 256, 800), ring.events());
        }
        assertThrows(VerbsException.class, () -> {
            try (EventCollection first = FlightRecorder.of(pair.a.context).collect(1);
                 EventCollection second = FlightRecorder.of(pair.a.context).collect(1)) {
                throw new AssertionError(first + " " + second);
            }
        });
    }

    @Test
    void shouldRecordPacketsThatReachNoQueuePair() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        pair.b.qp.modify(new QpAttributes().state(QpState.RESET));
        int peer = pair.b.qp.qpNum();
        pair.b.qp.close();
        MemoryRegion memory = pair.a.memory(8, 0);
        pair.a.qp.postSend(new SendRequest().send().wrId(1).element(memory, 0, 8));
        pair.simulation.runFor(1_000_000);
        Track device = FlightRecorder.of(pair.b.context).record().tracks().getFirst();
        assertEquals(Track.Kind.DEVICE, device.head().kind());
        assertEquals(List.of("< 24 bytes", "DROPPED DROP_UNKNOWN_QPN"), story(device));
        assertEquals(Failure.of(Reason.DROP_UNKNOWN_QPN, peer), ((RecordedEvent.Occurrence) device.events().get(1)).failure());
        assertEquals(pair.a.gid, ((RecordedEvent.Packet) device.events().getFirst()).remote());
    }

    @Test
    void shouldSayThatAnotherDeviceHasNoRecorder() {
        Context foreign = (Context) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Context.class},
            (proxy, method, arguments) -> null);
        assertEquals(Errno.EOPNOTSUPP, assertThrows(VerbsException.class, () -> FlightRecorder.of(foreign)).errno());
    }
}
