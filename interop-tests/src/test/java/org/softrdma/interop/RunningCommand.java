// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A running command, in the guest or on the host's side of the lab. Its output is kept as text and in a file. */
public abstract class RunningCommand implements AutoCloseable {
    /** Thrown if a command did not do in time what it should, such as end. */
    static final class TimedOut extends AssertionError {
        private TimedOut(String message) {
            super(message);
        }
    }

    /** Interval at which a wait checks that the lab still runs. */
    private static final long LAB_CHECK_MS = 250;

    private final Runnable requireAlive;
    private final String name;
    private final Path file;
    private final StringBuilder output = new StringBuilder();
    private Integer exitCode;

    /**
     * Creates the state of a command.
     *
     * @param requireAlive throws when the environment of the command no longer runs
     */
    protected RunningCommand(Runnable requireAlive, String name, Path file, String commandLine) {
        this.requireAlive = requireAlive;
        this.name = name;
        this.file = file;
        write("$ " + commandLine + "\n");
    }

    /** Output printed so far, both streams. */
    public final synchronized String output() {
        return output.toString();
    }

    /** Waits until {@code text} was printed. Fails if the command ends without printing it, or at the deadline. */
    public final void awaitOutput(String text, Duration deadline) {
        await("print '" + text + "'", () -> output.indexOf(text) >= 0 || exitCode != null, deadline);
        if (output().indexOf(text) < 0) {
            throw new AssertionError(name + " ended with exit code " + exitCode + " before it printed '" + text + "':\n" + output());
        }
    }

    /**
     * Waits for the end, killing the command at the deadline.
     *
     * @return the exit code; 128+n after signal n
     */
    public final int awaitExit(Duration deadline) {
        await("end", () -> exitCode != null, deadline);
        return exitCode;
    }

    /**
     * Waits for the end, killing the command at the deadline; an exit code other than 0 fails with the whole output.
     *
     * @return the output
     */
    public final String awaitSuccess(Duration deadline) {
        int code = awaitExit(deadline);
        if (code != 0) {
            throw new AssertionError(name + " ended with exit code " + code + ":\n" + output());
        }
        return output();
    }

    public final synchronized boolean isRunning() {
        return exitCode == null;
    }

    /** Kills the command if it still runs. */
    protected abstract void kill();

    @Override
    public final void close() {
        if (isRunning()) {
            kill();
        }
    }

    protected final void printed(byte[] bytes) {
        printed(new String(bytes, StandardCharsets.UTF_8));
    }

    protected final synchronized void printed(String text) {
        output.append(text);
        write(text);
        notifyAll();
    }

    protected final synchronized void ended(int code) {
        if (exitCode == null) {
            exitCode = code;
            write("[exit code " + code + "]\n");
            notifyAll();
        }
    }

    private synchronized void await(String what, BooleanSupplier condition, Duration deadline) {
        long untilNs = System.nanoTime() + deadline.toNanos();
        while (!condition.getAsBoolean()) {
            requireAlive.run();
            long leftMs = (untilNs - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                kill();
                throw new TimedOut(name + " did not " + what + " within " + deadline.toSeconds() + " s; so far:\n" + output);
            }
            try {
                wait(Math.min(leftMs, LAB_CHECK_MS));
            } catch (InterruptedException interrupted) {
                kill();
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for " + name, interrupted);
            }
        }
    }

    private void write(String text) {
        try {
            Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException full) {
            throw new IllegalStateException("cannot keep the output of " + name, full);
        }
    }
}
