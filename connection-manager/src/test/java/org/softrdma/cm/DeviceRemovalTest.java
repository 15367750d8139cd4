// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Removal of a device while identifiers use it. */
class DeviceRemovalTest extends TwoHosts {
    @Test
    void shouldTellIdentifiersThatTheirDeviceIsRemoved() {
        Pair pair = connected();
        SoftCmId elsewhere = alice.manager.createId(alices, null, PortSpace.TCP, QpType.RC);
        TestContext context = alicesDevice.context();
        alice.devices.remove(alicesDevice);
        context.removed();
        assertEquals(AsyncEventType.DEVICE_FATAL, context.getAsyncEvent(0).type());
        CmEvent removal = expect(alices, CmEventType.DEVICE_REMOVAL, 0);
        assertSame(pair.active(), removal.id());
        removal.ack();
        assertEquals(QpState.ERR, pair.active().qp().state());
        expectNothing(alices);
        expect(bobs, CmEventType.DISCONNECTED, 0).ack();
        refused(Errno.ENODEV, pair.active()::disconnect);
        elsewhere.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_ERROR, -Errno.EADDRNOTAVAIL.value()).ack();
        context.removed();
        expectNothing(alices);
        pair.active().close();
        elsewhere.close();
        alices.close();
        assertEquals(1, context.released, "it is closed with its last user, as all are");
    }

    /** There is no later event for this identifier. */
    @Test
    void shouldNotBindToADeviceThatIsRemovedWhileItOpens() {
        alicesDevice.whenOpened = TestContext::removed;
        SoftCmId id = alice.manager.createId(alices, null, PortSpace.TCP, QpType.RC);
        refused(Errno.ENODEV, () -> id.bind(at(ALICE, PORT)));
        assertEquals(1, alicesDevice.context().released);
        alicesDevice.whenOpened = context -> { };
        id.bind(at(ALICE, PORT));
        id.close();
    }

    @Test
    void shouldGoOnListeningOnTheOtherDevices() {
        bob.add("rxe1", 0x300, "10.0.2.2");
        alice.route("10.0.2.2", ALICE);
        listening("0.0.0.0", PORT, 5);
        SoftCmId early = resolved(alices, BOB, PORT, PortSpace.TCP);
        early.connect(ConnectionParameters.DEFAULT);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        bobsDevice.context().removed();
        SoftCmId late = resolved(alices, BOB, PORT, PortSpace.TCP);
        late.connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.NO_SERVICE).ack();
        SoftCmId other = resolved(alices, "10.0.2.2", PORT, PortSpace.TCP);
        other.connect(ConnectionParameters.DEFAULT);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        // A request from before the removal reports it when it is handed out.
        CmEvent first = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        first.ack();
        CmEvent second = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        second.ack();
        CmEvent removal = expect(bobs, CmEventType.DEVICE_REMOVAL, 0);
        assertSame(first.id(), removal.id());
        removal.ack();
        second.id().accept();
        expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
        expect(alices, CmEventType.CONNECT_RESPONSE, 0).ack();
    }

    @Test
    void shouldRefuseThoseThatWaitForADeviceThatIsRemoved() {
        AddressInfo here = new AddressInfo(true, QpType.RC, PortSpace.TCP, at(BOB, PORT), null);
        SoftCmId listener = bob.manager.createEndpoint(here, null, null);
        listener.listen(1);
        bobsDevice.context().removed();
        refused(Errno.ENODEV, listener::getRequest);
        listener.close();
    }

    /** A device that stops waits for the thread that watches it, which may just have found that it was removed. */
    @Test
    void shouldHearOfARemovalWhileItClosesTheDevice() {
        resolved(alices, BOB, PORT, PortSpace.TCP).close();
        TestContext context = alicesDevice.context();
        context.onRelease = () -> {
            Thread watch = Thread.ofPlatform().daemon().start(context::removed);
            try {
                watch.join();
            } catch (InterruptedException e) {
                throw new AssertionError("each waits for the other", e);
            }
        };
        alices.close();
        assertEquals(1, context.released);
        alices = alice.manager.createEventChannel();
        resolved(alices, BOB, PORT, PortSpace.TCP).close();
        assertEquals(2, alicesDevice.contexts.size(), "opened anew");
        alices.close();
        assertEquals(List.of(1, 1), alicesDevice.contexts.stream().map(each -> each.released).toList());
    }
}
