// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.util.Arrays;
import java.util.function.LongSupplier;
import org.softrdma.siw.sim.SimulatedTcp;

/** The observer on the wire of one connection: sees all bytes when they are sent, and how far they were received. */
final class StreamChecker implements SimulatedTcp.Observer {
    private final LongSupplier clock;
    private final StreamRules leftRules;
    private final StreamRules rightRules;
    private final FpduCutter left;
    private final FpduCutter right;
    private long bytes;
    private long digest = 1;

    /**
     * @param leftRules  for what the left end sends
     * @param rightRules for what the right end sends
     */
    StreamChecker(LongSupplier clock, StreamRules leftRules, StreamRules rightRules, boolean crc, boolean markersToLeft,
            boolean markersToRight, SegmentTrace trace) {
        this.clock = clock;
        this.leftRules = leftRules;
        this.rightRules = rightRules;
        leftRules.peer(rightRules);
        rightRules.peer(leftRules);
        left = new FpduCutter(crc, markersToRight, trace == null ? leftRules : trace.before(leftRules, "a > b"));
        right = new FpduCutter(crc, markersToLeft, trace == null ? rightRules : trace.before(rightRules, "b > a"));
    }

    @Override
    public void onPiece(boolean fromLeft, byte[] piece) {
        bytes += piece.length;
        digest = 31 * (31 * digest + clock.getAsLong()) + Arrays.hashCode(piece);
        (fromLeft ? left : right).accept(piece);
    }

    @Override
    public void onTaken(boolean fromLeft, int count) {
        (fromLeft ? leftRules : rightRules).onTaken(count);
    }

    /** Bytes sent so far, in both directions. */
    long bytes() {
        return bytes;
    }

    long digest() {
        return digest;
    }

    long segments() {
        return leftRules.segments() + rightRules.segments();
    }

    /** First violation, or null. */
    String complaint() {
        return leftRules.complaint() != null ? leftRules.complaint() : rightRules.complaint();
    }

    @Override
    public String toString() {
        return leftRules + "; " + rightRules;
    }
}
