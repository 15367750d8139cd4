// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.qp.Closing;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * One seed of a connection from its first byte to its last: random options, and a stream that splits and stalls and in most runs fails
 * within the first bytes: it breaks, ends, goes silent, or has a damaged byte. Checked from outside: each end reports one outcome, data
 * received with a CRC equals the data sent, and finally no stream and no timer is left.
 */
final class HandshakeSeedRun {
    private static final int MESSAGES = 6;
    private static final int MESSAGE_BYTES = 300;
    /** Range of the failure's position: the start-up frames and some messages. */
    private static final int ACCIDENT_BYTES = 1500;
    private static final Set<List<String>> FIT_TO_ASK = Set.of(List.of("failed"), List.of("timed out"), List.of("rejected"),
        List.of("agreed", "disconnected"));
    private static final Set<List<String>> FIT_TO_ANSWER = Set.of(List.of("failed"), List.of("timed out"), List.of("request"),
        List.of("request", "failed"), List.of("request", "agreed", "disconnected"));

    private final SplittableRandom random;
    private final HandshakePair pair;
    private final byte[] toA;
    private final byte[] toB;
    private final MemoryRegion inA;
    private final MemoryRegion inB;
    private boolean crc;

    private HandshakeSeedRun(long seed) {
        random = new SplittableRandom(seed);
        long stallNs = random.nextInt(4) == 0 ? 3 * SiwPair.SECOND : 20_000_000;
        pair = new HandshakePair(seed, new SimulatedTcp.Profile(1 << 12, 1 + random.nextInt(1 << random.nextInt(11)), 10_000,
            random.nextDouble() * 0.02, stallNs));
        toA = message();
        toB = message();
        inA = pair.a.memory(MESSAGES * MESSAGE_BYTES, SiwPair.ALL_REMOTE);
        inB = pair.b.memory(MESSAGES * MESSAGE_BYTES, SiwPair.ALL_REMOTE);
    }

    private byte[] message() {
        byte[] bytes = new byte[MESSAGES * MESSAGE_BYTES];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * Runs one seed.
     *
     * @return events reported to the initiator
     */
    static List<String> run(long seed) {
        try {
            return new HandshakeSeedRun(seed).run();
        } catch (RuntimeException | AssertionError wrong) {
            throw new AssertionError("seed " + seed, wrong);
        }
    }

    private List<String> run() {
        MpaOptions ofA = options();
        MpaOptions ofB = options();
        crc = ofA.wantsCrc() && ofB.wantsCrc();
        boolean refuses = random.nextInt(10) == 0;
        pair.earB.onRequest = handshake -> {
            if (refuses) {
                handshake.reject("no".getBytes());
            } else {
                handshake.accept(pair.b.qp, 4, 4, "welcome".getBytes());
            }
        };
        postReceives(pair.a, inA);
        postReceives(pair.b, inB);
        haveAccident();
        pair.await(ofB);
        pair.initiate(ofA, 4, 4, "hello");
        pair.simulation.runFor(20 * SiwPair.SECOND);
        talk(pair.a, toB);
        talk(pair.b, toA);
        pair.simulation.runFor(SiwPair.SECOND);
        boolean aFirst = random.nextBoolean();
        disconnect(aFirst ? pair.a : pair.b);
        pair.simulation.runFor(SiwPair.SECOND);
        // Ends also the silent side, and the side that receives nothing from it.
        disconnect(aFirst ? pair.b : pair.a);
        pair.simulation.runFor(40 * Closing.PATIENCE_NS);
        check(FIT_TO_ASK.contains(pair.earA.heard), "asking: " + pair.earA.heard);
        check(FIT_TO_ANSWER.contains(pair.earB.heard), "asked: " + pair.earB.heard);
        checkMessages(pair.a, inA, toA);
        checkMessages(pair.b, inB, toB);
        checkNothingLeft(pair.a);
        checkNothingLeft(pair.b);
        return pair.earA.heard;
    }

    private MpaOptions options() {
        return MpaOptions.DEFAULT.withCrc(random.nextInt(4) == 0 ? MpaOptions.Crc.OFF : MpaOptions.Crc.ON)
            .withMarkers(random.nextInt(4) == 0).withRevision(random.nextInt(4) == 0 ? 1 : 2)
            .withRtr(MpaOptions.Rtr.values()[random.nextInt(3)]).withPauseNs(random.nextBoolean() ? 0 : 10_000_000)
            .withTimeoutNs(SiwPair.SECOND);
    }

    private void haveAccident() {
        boolean fromA = random.nextBoolean();
        int at = random.nextBoolean() ? random.nextInt(40) : random.nextInt(ACCIDENT_BYTES);
        switch (random.nextInt(5)) {
            case 0 -> pair.tcp.stopAfter(fromA, at, SimulatedTcp.Stop.RESET);
            case 1 -> pair.tcp.stopAfter(fromA, at, SimulatedTcp.Stop.END);
            case 2 -> pair.tcp.stopAfter(fromA, at, SimulatedTcp.Stop.SILENCE);
            case 3 -> pair.tcp.damage(fromA, at, 1 + random.nextInt(255));
            default -> { }
        }
    }

    private static void postReceives(SiwPair.Side side, MemoryRegion into) {
        for (int i = 0; i < MESSAGES; i++) {
            side.qp.postReceive(new ReceiveRequest().begin(i).element(into, (long) i * MESSAGE_BYTES, MESSAGE_BYTES));
        }
    }

    /** Posts messages followed by a READ, which a closed or silent peer does not answer. */
    private static void talk(SiwPair.Side side, byte[] messages) {
        if (side.qp.state() == QpState.RTS) {
            MemoryRegion from = side.memory(messages);
            for (int i = 0; i < MESSAGES; i++) {
                side.qp.postSend(new SendRequest().send().element(from, (long) i * MESSAGE_BYTES, MESSAGE_BYTES));
            }
            side.qp.postSend(new SendRequest().read(0, 0).wrId(MESSAGES).signaled());
        }
    }

    private static void disconnect(SiwPair.Side side) {
        if (side.qp.state() == QpState.RTS) {
            side.qp.modify(new QpAttributes().state(QpState.SQD));
        }
    }

    private void checkMessages(SiwPair.Side side, MemoryRegion in, byte[] expected) {
        long good = side.receiveStatuses().stream().filter(status -> status == WcStatus.SUCCESS).count();
        if (crc) {
            int bytes = (int) good * MESSAGE_BYTES;
            check(Arrays.equals(in.memory().asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE), Arrays.copyOf(expected, bytes)), "messages");
        }
        QpState state = side.qp.state();
        check(state == QpState.INIT && good == 0 || state == QpState.ERR && side.receives().size() == MESSAGES, "every receive completes");
    }

    private static void checkNothingLeft(SiwPair.Side side) {
        check(side.engine.deadlineNs() == Deadline.NEVER && !side.engine.hasStreams(), "nothing is left");
        check(side.counter("internal_errors") == 0, "no internal error");
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
