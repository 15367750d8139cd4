// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.VirtualClock;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.sim.SimulatedTcp;

/** Two devices that set up a connection over simulated TCP, with a record of the reported events. */
final class HandshakePair {
    final VirtualClock clock;
    final Simulation simulation;
    final SimulatedTcp tcp;
    final SiwPair.Side a;
    final SiwPair.Side b;
    final Recorder recorderA = new Recorder();
    final Recorder recorderB = new Recorder();
    Handshake initiator;
    Handshake responder;

    /** Records events, and responds to requests. */
    static final class Recorder implements HandshakeListener {
        final List<String> events = new ArrayList<>();
        Agreement agreement;
        byte[] refusal;
        Consumer<Handshake> onRequest = handshake -> { };
        Runnable onFailed = () -> { };

        @Override
        public void onRequest(Handshake handshake) {
            events.add("request");
            onRequest.accept(handshake);
        }

        @Override
        public void onAgreed(Handshake handshake, Agreement agreed) {
            events.add("agreed");
            agreement = agreed;
        }

        @Override
        public void onRejected(Handshake handshake, byte[] privateData) {
            events.add("rejected");
            refusal = privateData;
        }

        @Override
        public void onFailed(Handshake handshake, Failure failure) {
            events.add(failure == Failure.TIMED_OUT ? "timed out" : "failed");
            onFailed.run();
        }

        @Override
        public void onDisconnected() {
            events.add("disconnected");
        }
    }

    HandshakePair(long seed, SimulatedTcp.Profile profile) {
        clock = new VirtualClock(seed);
        simulation = new Simulation(clock);
        SplittableRandom random = new SplittableRandom(seed);
        tcp = new SimulatedTcp(random, clock::nowNs, profile);
        simulation.add(tcp);
        a = new SiwPair.Side(simulation, random, new SiwPair.Setup());
        b = new SiwPair.Side(simulation, random, new SiwPair.Setup());
    }

    HandshakePair() {
        this(1, SimulatedTcp.Profile.PLAIN);
    }

    void await(MpaOptions options) {
        b.engine.beginVerb(clock.nowNs());
        responder = Handshake.await(b.engine, tcp.right(), options, recorderB, () -> { });
    }

    void initiate(MpaOptions options, int ird, int ord, String privateData) {
        a.engine.beginVerb(clock.nowNs());
        initiator = Handshake.initiate(a.engine, tcp.left(), options, recorderA, () -> { }, a.qp, ird, ord, privateData.getBytes());
    }

    void run() {
        simulation.runFor(1_000_000_000L);
    }
}
