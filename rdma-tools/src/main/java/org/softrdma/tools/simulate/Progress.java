// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import java.io.PrintStream;
import java.util.Locale;

/** A line that shows how far a run of many seeds is, on terminals only. */
final class Progress {
    private static final int EVERY = 10;
    private static final long NS_PER_SECOND = 1_000_000_000;
    /** Seeds that the estimate needs. */
    private static final int ENOUGH = 50;

    private final PrintStream err;
    private final long total;
    private final boolean shown = System.console() != null && System.console().isTerminal();
    private final long startNs = System.nanoTime();
    private SeedType type;
    private long from;
    private long to;
    private int done;
    private long doneInAll;

    /** @param total number of seeds of all types */
    Progress(PrintStream err, long total) {
        this.err = err;
        this.total = total;
    }

    void chunk(SeedType ofType, long first, long last) {
        type = ofType;
        from = first;
        to = last;
        done = 0;
    }

    void one() {
        done++;
        doneInAll++;
        if (shown && done % EVERY == 0) {
            err.print("\r" + type + " seeds " + from + ".." + to + ": " + done + " done"
                + timeLeft(System.nanoTime() - startNs, doneInAll, total) + " ");
            err.flush();
        }
    }

    void clear() {
        if (shown && done >= EVERY) {
            err.print("\r\033[K");
            err.flush();
        }
    }

    /**
     * Estimates the rest from what took place; types of seeds differ, but take turns.
     *
     * @return empty while too little was done to say
     */
    static String timeLeft(long elapsedNs, long done, long total) {
        if (done < ENOUGH) {
            return "";
        }
        long seconds = (long) ((double) elapsedNs / done * (total - done) / NS_PER_SECOND);
        return String.format(Locale.ROOT, ", %d %% of all, about %s left", 100 * done / total,
            seconds < 90 ? seconds + " s" : (seconds + 30) / 60 + " min");
    }
}
