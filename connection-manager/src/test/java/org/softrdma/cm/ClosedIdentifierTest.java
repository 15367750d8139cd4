// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Closed identifiers and event channels say that they are closed, whichever of their calls is used. */
class ClosedIdentifierTest extends TwoHosts {
    @Test
    void shouldSayThatAnIdentifierIsClosed() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.bind(at(ALICE, PORT));
        id.close();
        Map<String, Executable> calls = new TreeMap<>();
        calls.put("bind_addr", () -> id.bind(at(ALICE, PORT)));
        calls.put("resolve_addr", () -> id.resolveAddress(null, at(BOB, PORT), 1));
        calls.put("resolve_route", () -> id.resolveRoute(1));
        calls.put("create_qp", () -> id.createQp(null, rc()));
        calls.put("init_qp_attr", () -> id.initQpAttributes(QpState.INIT));
        calls.put("get_send_comp", () -> id.awaitSend(new WorkCompletion()));
        calls.put("get_recv_comp", () -> id.awaitReceive(new WorkCompletion()));
        calls.put("connect", () -> id.connect(ConnectionParameters.DEFAULT));
        calls.put("establish", id::establish);
        calls.put("accept", id::accept);
        calls.put("reject", () -> id.reject(new byte[0]));
        calls.put("notify", () -> id.notify(AsyncEventType.COMM_EST));
        calls.put("disconnect", id::disconnect);
        calls.put("listen", () -> id.listen(1));
        calls.put("get_request", id::getRequest);
        calls.put("migrate_id", () -> id.migrate(bobs));
        calls.put("join_multicast", () -> id.joinMulticast(TestHost.ip("239.1.1.1"), false, null));
        calls.put("leave_multicast", () -> id.leaveMulticast(TestHost.ip("239.1.1.1")));
        calls.put("set_option", () -> id.typeOfService(1));
        calls.forEach(ClosedIdentifierTest::assertClosed);
        assertClosed("set_option", () -> id.ackTimeout(1));
        assertClosed("set_option", () -> id.minRnrTimer(1));
        assertClosed("set_option", () -> id.reuseAddress(true));
        assertClosed("set_option", () -> id.familyOnly(true));
    }

    private static void assertClosed(String verb, Executable call) {
        VerbsException refused = assertThrows(VerbsException.class, call, verb);
        assertEquals(verb + ": Invalid argument (EINVAL): the identifier is closed", refused.getMessage());
        assertEquals(Errno.EINVAL, refused.errno());
    }

    @Test
    void shouldSayThatAnEventChannelIsClosed() {
        EventChannel channel = alice.manager.createEventChannel();
        channel.close();
        for (long timeoutNs : new long[] {0, 1, -1}) {
            VerbsException refused = assertThrows(VerbsException.class, () -> channel.getEvent(timeoutNs));
            assertEquals("get_cm_event: Invalid argument (EINVAL): the event channel is closed", refused.getMessage());
        }
    }
}
