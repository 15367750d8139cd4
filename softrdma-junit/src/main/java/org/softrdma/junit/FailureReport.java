// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.softrdma.testing.Fabric;

/**
 * Report of a fabric after a failure.
 *
 * @param lines the seed, how to repeat the run, the counters that moved, and where the recording is
 */
record FailureReport(List<String> lines) {
    private static final String INDENTED = System.lineSeparator() + "               ";

    static FailureReport of(ExtensionContext context, FabricSession session) {
        Fabric fabric = session.fabric();
        List<String> lines = new ArrayList<>();
        lines.add("softrdma: seed " + fabric.seed() + (fabric.isSimulated() ? ", simulated" : ", on sockets") + ", faults "
            + session.settings().faults() + (fabric.isSimulated() ? ", virtual time " + time(fabric.nowNs()) : ""));
        lines.add("  repeat:      -D" + SoftRdma.SEED_PROPERTY + "=" + fabric.seed() + " with this test alone");
        lines.add("  counters:    " + fabric.counters().toString().replace(System.lineSeparator(), INDENTED));
        lines.add("  recording:   " + record(context, fabric));
        return new FailureReport(lines);
    }

    private static String time(long ns) {
        return ns < 10_000_000 ? String.format(Locale.ROOT, "%.3f ms", ns / 1e6) : String.format(Locale.ROOT, "%.3f s", ns / 1e9);
    }

    private static String record(ExtensionContext context, Fabric fabric) {
        Path file = directory().resolve(name(context) + "-seed" + fabric.seed() + ".pcapng");
        try {
            return fabric.record(file) ? file + " (for Wireshark, or: softrdma lab " + file + ")"
                : fabric.isSimulated() ? "none: nothing was sent" : "none: on sockets, set SOFTRDMA_CAPTURE_DIR in the environment";
        } catch (IOException refused) {
            return "not written: " + refused;
        }
    }

    private static Path directory() {
        String wanted = System.getProperty(SoftRdma.RECORDINGS_PROPERTY);
        if (wanted != null) {
            return Path.of(wanted);
        }
        Path target = Path.of("target");
        return Files.isDirectory(target) ? target.resolve("softrdma-recordings") : Path.of("softrdma-recordings");
    }

    /** Class, method, and of a repeated test its invocation. */
    private static String name(ExtensionContext context) {
        String last = context.getUniqueId().substring(context.getUniqueId().lastIndexOf('['));
        String invocation = last.contains("invocation") && !context.getDisplayName().startsWith("seed ")
            ? "-" + last.replaceAll("[^0-9]", "") : "";
        return context.getRequiredTestClass().getSimpleName() + "." + context.getRequiredTestMethod().getName() + invocation;
    }

    @Override
    public String toString() {
        return String.join(System.lineSeparator(), lines);
    }
}
