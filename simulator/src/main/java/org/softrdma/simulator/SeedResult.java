// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

/**
 * Result of one seed.
 *
 * @param failure  what broke; null if nothing did
 * @param status   for people: the scenario, where every stream stands, the counters
 * @param died     whether a queue pair came to its end before its work did, as the scenario allowed
 * @param requests work requests completed
 * @param packets  packets sent
 * @param digest   of all packets and their times: equal for equal runs
 */
public record SeedResult(long seed, Throwable failure, String status, boolean died, int requests, long packets, long digest) {
    /** Lines of a stack trace that lead to the place. */
    private static final int TRACE_LINES = 6;

    public boolean passed() {
        return failure == null;
    }

    /** Describes the failure and its place in several lines. */
    public String report() {
        StringBuilder text = new StringBuilder(1000).append("seed ").append(seed).append(passed() ? " passed" : " FAILED: " + failure);
        for (int i = 0; !passed() && i < Math.min(TRACE_LINES, failure.getStackTrace().length); i++) {
            text.append("\n    at ").append(failure.getStackTrace()[i]);
        }
        return text.append("\n  ").append(status).toString();
    }
}
