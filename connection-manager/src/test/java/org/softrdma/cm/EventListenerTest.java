// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Reports of a channel to its listener: each event once, before it is queued and after, and when it leaves unread. */
class EventListenerTest extends TwoHosts {
    private final Recorder recorder = new Recorder();
    private EventChannel channel;

    private static final class Recorder implements CmEventListener {
        private final List<String> calls = new ArrayList<>();
        private CmEventType refused;

        @Override
        public boolean admits(CmEvent event) {
            calls.add("admits " + event.type());
            return event.type() != refused;
        }

        @Override
        public void onQueued() {
            calls.add("queued");
        }

        @Override
        public void onRemoved(int count) {
            calls.add("removed " + count);
        }
    }

    @BeforeEach
    void create() {
        channel = alice.manager.createEventChannel(recorder);
    }

    private CmId withEvent() {
        CmId id = alice.manager.createId(channel, null, PortSpace.TCP);
        id.resolveAddress(null, at(BOB, PORT), 2000);
        return id;
    }

    @Test
    void shouldReportAnEvent() {
        CmId id = withEvent();
        assertEquals(List.of("admits ADDR_RESOLVED", "queued"), recorder.calls);
        expect(channel, CmEventType.ADDR_RESOLVED, 0).ack();
        id.close();
        assertEquals(2, recorder.calls.size(), "nothing was left to be removed");
        channel.close();
    }

    @Test
    void shouldDropWhatTheListenerRefuses() {
        recorder.refused = CmEventType.ADDR_RESOLVED;
        CmId id = withEvent();
        expectNothing(channel);
        id.resolveRoute(2000);
        expect(channel, CmEventType.ROUTE_RESOLVED, 0).ack();
        assertEquals(List.of("admits ADDR_RESOLVED", "admits ROUTE_RESOLVED", "queued"), recorder.calls);
        id.close();
    }

    @Test
    void shouldReportEventsThatLeaveWithTheirIdentifier() {
        CmId id = withEvent();
        id.resolveRoute(2000);
        recorder.calls.clear();
        id.close();
        assertEquals(List.of("removed 2"), recorder.calls);
    }

    @Test
    void shouldReportEventsThatMigrate() {
        Recorder other = new Recorder();
        EventChannel next = alice.manager.createEventChannel(other);
        CmId id = withEvent();
        recorder.calls.clear();
        id.migrate(next);
        assertEquals(List.of("removed 1"), recorder.calls);
        assertEquals(List.of("admits ADDR_RESOLVED", "queued"), other.calls);
        expect(next, CmEventType.ADDR_RESOLVED, 0).ack();
        id.close();
    }

    /** A request counts for the listener: it leaves with that. */
    @Test
    void shouldReportRequestsThatLeaveWithTheListener() {
        Recorder ofBob = new Recorder();
        EventChannel bobsChannel = bob.manager.createEventChannel(ofBob);
        CmId listener = bob.manager.createId(bobsChannel, null, PortSpace.TCP);
        listener.bind(at(BOB, PORT));
        listener.listen(2);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.connect(ConnectionParameters.DEFAULT);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        assertEquals(List.of("admits CONNECT_REQUEST", "queued"), ofBob.calls);
        listener.close();
        assertEquals("removed 1", ofBob.calls.getLast());
        expect(alices, CmEventType.REJECTED, 28).ack();
    }
}
