// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import org.softrdma.host.config.TimeText;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Text form of the idle time after which a peer is probed: {@code none}, or 1 ms to 60 s. */
final class KeepAliveTime {
    /** Lines of {@code rdma link set help} about the value. */
    static final String SYNTAX = """
        TIME is 1ms to 60s: an RC queue pair that was idle for so long probes its peer, which must permit remote writes
        """;

    private static final String OFF = "none";
    private static final long SHORTEST_NS = 1_000_000;

    private KeepAliveTime() {
    }

    /**
     * Reads a value.
     *
     * @return nanoseconds, 0 for none
     * @throws VerbsException EINVAL
     */
    static long parse(String word) {
        if (word.equals(OFF)) {
            return 0;
        }
        long timeNs = TimeText.parse(word);
        if (timeNs < SHORTEST_NS) {
            throw new VerbsException(Errno.EINVAL, "setlink", "keepalive is none, or 1ms to 60s: a number with ms or s, not '" + word
                + "'");
        }
        return timeNs;
    }

    /** The word that {@link #parse} reads as an equal value. */
    static String format(long timeNs) {
        return timeNs == 0 ? OFF : TimeText.format(timeNs);
    }
}
