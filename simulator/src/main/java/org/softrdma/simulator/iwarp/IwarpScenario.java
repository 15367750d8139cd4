// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.siw.SimulatedSiw;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.sim.SimulatedTcp;

/**
 * Choices of a seed before it runs.
 *
 * @param maxUlpdu  bytes of the largest segment
 * @param depth     READs and atomics under way
 * @param srq       receives are those of shared receive queues
 * @param first     the initiator's opening message
 * @param pauseNs   time before which the initiator must not send; {@link SimulatedSiw#AT_ONCE} for none
 * @param ofA       requests of A, the initiator
 * @param ofB       requests of B
 * @param mostBytes longest message but READs
 * @param readBytes longest READ
 * @param windows   through which targets are used, A's first
 * @param accident  null for none
 * @param ending    of the TCP connection
 * @param endingA   it happens to A's bytes
 * @param endingAt  after this many bytes, or at this time
 * @param resizing  share of the applications' turns in which they resize completion queues
 */
record IwarpScenario(long seed, boolean crc, boolean markersToA, boolean markersToB, int maxUlpdu, int depth, boolean srq,
                     MpaOptions.Rtr first, long pauseNs, SimulatedTcp.Profile profile, int ofA, int ofB, int mostBytes, int readBytes,
                     List<Window> windows, IwarpAccident accident, Ending ending, boolean endingA, int endingAt,
                     double resizing) {
    /** How the peer uses memory. */
    enum Window { NONE, TYPE_1, TYPE_2 }

    /** End of the TCP connection in the middle of everything. */
    enum Ending { NONE, AT_A_TIME, RESET, END }

    private static final int MOST_REQUESTS = 48;
    private static final int MOST_BYTES = 12_000;
    private static final int FEW_BYTES = 700;
    /** Longer than the buffer of frames to send, so that a READ stops in the middle. */
    private static final int LONG_READ_BYTES = 700_000;
    private static final int LATEST_NS = 80_000_000;

    static IwarpScenario draw(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int depth = 1 + random.nextInt(6);
        int smallest = 128 + random.nextInt(400);
        int maxUlpdu = random.nextInt(3) == 0 ? smallest : random.nextBoolean() ? 1442 : 65_000;
        SimulatedTcp.Profile profile = new SimulatedTcp.Profile(1 << 10 + random.nextInt(10), 1 + random.nextInt(1 << random.nextInt(15)),
            100_000, random.nextDouble() * 0.02, 200_000_000);
        boolean crc = random.nextBoolean();
        boolean markersToA = random.nextInt(3) == 0;
        boolean markersToB = random.nextInt(3) == 0;
        boolean srq = random.nextInt(4) == 0;
        MpaOptions.Rtr first = MpaOptions.Rtr.values()[random.nextInt(3)];
        long pauseNs = random.nextBoolean() ? SimulatedSiw.AT_ONCE : random.nextInt(50_000_000);
        int mostBytes = random.nextBoolean() ? MOST_BYTES : FEW_BYTES;
        int ofA = 1 + random.nextInt(MOST_REQUESTS);
        int ofB = random.nextInt(MOST_REQUESTS);
        List<Window> windows = List.of(window(random), window(random));
        IwarpAccident accident = random.nextBoolean() ? IwarpAccident.draw(random, windows) : null;
        int readBytes = mostBytes;
        boolean ofWords = accident != null && accident.place() == IwarpAccident.Place.WORDS;
        if (random.nextInt(accident == null ? 20 : ofWords ? 1 : 3) == 0) {
            // Fewer and longer ones through a narrow connection: accidents meet READs that are answered in part.
            readBytes = LONG_READ_BYTES;
            profile = new SimulatedTcp.Profile(1 << 12 + random.nextInt(4), 1 << 10 + random.nextInt(5), 100_000, 0, 0);
            maxUlpdu = Math.max(maxUlpdu, 1442);
            ofA = Math.min(ofA, 16);
            ofB = Math.min(ofB, 16);
        }
        Ending ending = random.nextInt(accident == null ? 3 : 8) == 0 ? Ending.values()[1 + random.nextInt(3)] : Ending.NONE;
        boolean endingA = random.nextBoolean();
        int endingAt = ending == Ending.AT_A_TIME ? random.nextInt(LATEST_NS) : random.nextInt(1 << 1 + random.nextInt(18));
        double resizing = random.nextInt(3) == 0 ? random.nextDouble() * 0.2 : 0;
        return new IwarpScenario(seed, crc, markersToA, markersToB, maxUlpdu, depth, srq, first, pauseNs, profile, ofA, ofB, mostBytes,
            readBytes, windows, accident, ending, endingA, endingAt, resizing);
    }

    private static Window window(SplittableRandom random) {
        return random.nextInt(2) == 0 ? Window.NONE : random.nextBoolean() ? Window.TYPE_1 : Window.TYPE_2;
    }

    /** Whether the connection may end before all work is done. */
    boolean mayEnd() {
        return ending != Ending.NONE || accident != null && accident.kind().kills;
    }
}
