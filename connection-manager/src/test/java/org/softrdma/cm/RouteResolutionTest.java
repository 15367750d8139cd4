// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Addresses and routes that a network has to be asked for. Statuses of the events are negative errnos. */
class RouteResolutionTest extends TwoHosts {
    private static final Gid BOBS_PORT = new Gid(0xFE80_0000_0000_0000L, 0xB0B);

    private final Answers answers = new Answers();

    /** Answers as the test says, and notes the questions. */
    private static final class Answers implements CmResolver, CmRoute {
        final List<String> asked = new ArrayList<>();
        VerbsException noPort;
        VerbsException noRoute;

        @Override
        public Gid findPort(InetAddress address, int timeoutMs) {
            asked.add("port of " + address.getHostAddress() + " in " + timeoutMs);
            if (noPort != null) {
                throw noPort;
            }
            return BOBS_PORT;
        }

        @Override
        public CmRoute findRoute(Gid port, int timeoutMs) {
            asked.add("route to " + port + " in " + timeoutMs);
            if (noRoute != null) {
                throw noRoute;
            }
            return this;
        }
    }

    @BeforeEach
    void resolve() {
        network.resolver = answers;
    }

    private CmId client() {
        return alice.manager.createId(alices, null, PortSpace.TCP);
    }

    @Test
    void shouldConnectByTheRouteThatWasFound() {
        listening(BOB, PORT, 5);
        CmId id = client();
        id.resolveAddress(null, at(BOB, PORT), 1500);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
        id.resolveRoute(700);
        expect(alices, CmEventType.ROUTE_RESOLVED, 0).ack();
        assertEquals(List.of("port of 10.0.0.2 in 1500", "route to " + BOBS_PORT + " in 700"), answers.asked);
        id.createQp(null, rc());
        id.connect(ConnectionParameters.DEFAULT);
        requested();
        assertSame(answers, network.lastOptions.route());
    }

    @Test
    void shouldReportAnAddressThatNoPortHas() {
        answers.noPort = new VerbsException(Errno.ETIMEDOUT, "resolve_addr", "nobody");
        CmId id = client();
        id.resolveAddress(null, at(BOB, PORT), 2000);
        CmEvent event = expect(alices, CmEventType.ADDR_ERROR, -Errno.ETIMEDOUT.value());
        assertTrue(event.detail().contains("nobody"), event.detail());
        event.ack();
        answers.noPort = null;
        id.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
    }

    @Test
    void shouldReportARouteErrorAndTryAgain() {
        CmId id = client();
        id.resolveAddress(null, at(BOB, PORT), 2000);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
        answers.noRoute = new VerbsException(Errno.EINVAL, "resolve_route", "no path");
        id.resolveRoute(2000);
        expect(alices, CmEventType.ROUTE_ERROR, -Errno.EINVAL.value()).ack();
        refused(Errno.EINVAL, () -> id.connect(ConnectionParameters.DEFAULT));
        answers.noRoute = null;
        id.resolveRoute(2000);
        expect(alices, CmEventType.ROUTE_RESOLVED, 0).ack();
    }

    @Test
    void shouldThrowFromASynchronousIdentifier() {
        CmId id = alice.manager.createId(null, null, PortSpace.TCP);
        id.resolveAddress(null, at(BOB, PORT), 2000);
        answers.noRoute = new VerbsException(Errno.ETIMEDOUT, "resolve_route", "no answer");
        VerbsException thrown = refused(Errno.ETIMEDOUT, () -> id.resolveRoute(2000));
        assertTrue(thrown.getMessage().contains("RDMA_CM_EVENT_ROUTE_ERROR"), thrown.getMessage());
    }

    @Test
    void shouldHaveNoRouteWhereNoneIsNeeded() {
        network.resolver = null;
        connected();
        assertNull(network.lastOptions.route());
    }
}
