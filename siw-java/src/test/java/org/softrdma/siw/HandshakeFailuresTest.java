// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.verbs.QpState;

/** Failures during connection set-up, one at each byte; the simulator has random ones. */
class HandshakeFailuresTest {
    /** "hello" and "welcome" are the private data. */
    private static final int REQUEST_BYTES = 20 + 4 + 5;
    private static final int REPLY_BYTES = 20 + 4 + 7;

    private static HandshakePair pair(boolean fromA, int bytes, SimulatedTcp.Stop how) {
        HandshakePair pair = new HandshakePair();
        MpaOptions options = MpaOptions.DEFAULT.withPauseNs(0).withTimeoutNs(SiwPair.SECOND);
        pair.recorderB.onRequest = handshake -> handshake.accept(pair.b.qp, 1, 1, "welcome".getBytes());
        pair.tcp.stopAfter(fromA, bytes, how);
        pair.await(options);
        pair.initiate(options, 1, 1, "hello");
        pair.simulation.runFor(5 * SiwPair.SECOND);
        for (SiwPair.Side side : List.of(pair.a, pair.b)) {
            assertEquals(Deadline.NEVER, side.engine.deadlineNs(), "nothing is left");
            assertEquals(0, side.counter("internal_errors"));
        }
        return pair;
    }

    @ParameterizedTest
    @EnumSource(SimulatedTcp.Stop.class)
    void shouldBeToldWhereverTheRequestStops(SimulatedTcp.Stop how) {
        boolean silent = how == SimulatedTcp.Stop.SILENCE;
        for (int bytes = 0; bytes < REQUEST_BYTES; bytes++) {
            HandshakePair pair = pair(true, bytes, how);
            assertEquals(List.of(silent ? "timed out" : "failed"), pair.recorderB.events, bytes + " bytes");
            assertEquals(1, pair.recorderA.events.size(), bytes + " bytes: " + pair.recorderA.events);
            assertEquals(1, pair.b.counter(silent ? "slow_startups" : "abandoned_startups"));
            assertEquals(List.of(QpState.INIT, QpState.INIT), List.of(pair.a.qp.state(), pair.b.qp.state()));
        }
    }

    @ParameterizedTest
    @EnumSource(SimulatedTcp.Stop.class)
    void shouldBeToldWhereverTheReplyStops(SimulatedTcp.Stop how) {
        boolean silent = how == SimulatedTcp.Stop.SILENCE;
        for (int bytes = 0; bytes < REPLY_BYTES; bytes++) {
            HandshakePair pair = pair(false, bytes, how);
            assertEquals(List.of("request", "agreed", "disconnected"), pair.recorderB.events, bytes + " bytes");
            assertEquals(List.of(silent ? "timed out" : "failed"), pair.recorderA.events, bytes + " bytes");
            assertEquals(1, pair.a.counter(silent ? "slow_startups" : "abandoned_startups"));
            assertEquals(List.of(QpState.INIT, QpState.ERR), List.of(pair.a.qp.state(), pair.b.qp.state()));
        }
    }
}
