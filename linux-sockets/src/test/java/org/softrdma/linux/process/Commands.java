// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Programs that tests start, and waits with a deadline. */
final class Commands {
    private static final long PATIENCE_MS = 20_000;
    private static final long PAUSE_MS = 2;

    private Commands() {
    }

    static void assumeLinux() {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "needs Linux");
    }

    static List<byte[]> bytes(String... command) {
        return Stream.of(command).map(each -> each.getBytes(StandardCharsets.UTF_8)).toList();
    }

    static ProcessSpawn prepare(String... command) {
        return ProcessSpawn.prepare(bytes(command), Map.of());
    }

    /** Starts a program without a filter. */
    static int start(String... command) {
        return CLibrary.check(prepare(command).run(), "run", command[0]);
    }

    /** Kills a child and waits for it. */
    static void kill(int pid) {
        Signals.send(pid, Signals.SIGKILL);
        while (!ChildStatus.await(pid).kind().isEnd()) {
            Thread.onSpinWait();
        }
    }

    static void until(String what, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + PATIENCE_MS * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError("not within " + PATIENCE_MS + " ms: " + what);
            }
            try {
                Thread.sleep(PAUSE_MS);
            } catch (InterruptedException interrupted) {
                throw new AssertionError(what, interrupted);
            }
        }
    }
}
