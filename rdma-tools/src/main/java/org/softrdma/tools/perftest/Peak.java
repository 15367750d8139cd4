// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

/** Peak of a bandwidth test, found as in the original. */
final class Peak {
    private Peak() {
    }

    /**
     * The shortest average time per message between any post and any later completion.
     *
     * @param postedNs    when each message was posted; of a list that is posted at once, the first
     * @param completedNs when each signalled message completed, the last one included; 0 for others
     * @param postList    messages posted at once
     * @param moderation  interval of signalled messages; with several queue pairs not all of them have a completion of their own
     * @return nanoseconds per message
     */
    static double intervalNs(long[] postedNs, long[] completedNs, int postList, int moderation) {
        int last = completedNs.length - 1;
        double shortest = completedNs[last] - postedNs[0];
        for (int i = 0; i <= last; i += postList) {
            for (int j = Math.ceilDiv(i + 1, moderation) * moderation - 1; j < last; j += moderation) {
                if (completedNs[j] != 0) {
                    shortest = Math.min(shortest, average(postedNs, completedNs, i, j));
                }
            }
            shortest = Math.min(shortest, average(postedNs, completedNs, i, last));
        }
        return shortest;
    }

    private static double average(long[] postedNs, long[] completedNs, int from, int to) {
        return (completedNs[to] - postedNs[from]) / (double) (to - from + 1);
    }
}
