// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.Locale;
import java.util.function.LongSupplier;
import org.softrdma.tools.cli.Console;

/** Live display of a timed test's message rate on a terminal, once per second; erased at the end. */
final class LiveRate implements AutoCloseable {
    private static final long SECOND_MS = 1000;
    private static final String ERASED = "\r" + " ".repeat(60) + "\r";

    private final LongSupplier progress;
    private final int messageBytes;
    private final Console console;
    private final Thread thread;

    private LiveRate(LongSupplier progress, int messageBytes, Console console) {
        this.progress = progress;
        this.messageBytes = messageBytes;
        this.console = console;
        thread = Thread.ofPlatform().daemon().name("live-rate").unstarted(this::run);
    }

    /** Starts the display; null, which try-with-resources accepts, unless the test is timed, prints for people, and has a terminal. */
    static LiveRate of(Parameters parameters, LongSupplier progress, int messageBytes, Console console) {
        if (!parameters.timed || !parameters.printsEverything() || System.console() == null || !System.console().isTerminal()) {
            return null;
        }
        LiveRate live = new LiveRate(progress, messageBytes, console);
        live.thread.start();
        return live;
    }

    private void run() {
        long before = 0;
        for (int second = 1;; second++) {
            try {
                Thread.sleep(SECOND_MS);
            } catch (InterruptedException over) {
                console.err().print(ERASED);
                console.err().flush();
                return;
            }
            long now = progress.getAsLong();
            console.err().print(line(second, now - before, messageBytes));
            console.err().flush();
            before = now;
        }
    }

    /**
     * Overwrites the previous line.
     *
     * @param messages of the last second
     */
    static String line(int second, long messages, int messageBytes) {
        return String.format(Locale.ROOT, "\r %d s: %d messages/s, %.2f MB/s    ", second, messages,
            messages * (double) messageBytes / (1 << 20));
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
