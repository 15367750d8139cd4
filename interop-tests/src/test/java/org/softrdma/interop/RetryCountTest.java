// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.TestAbortedException;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.app.Operation;
import org.softrdma.wire.roce.Opcode;

/**
 * Transmissions of a request without an answer, by us and by the kernel: retry_cnt + 1, about one ACK timeout apart. IBA vol 1 §9.9.2.1.1,
 * §9.9.2.3. Kernel rxe never gives up with retry_cnt 7. The table is printed, and kept in target/lab/retries.txt.
 */
@ExtendWith(LabExtension.class)
class RetryCountTest {
    /** First PSN of the requester. */
    private static final int PSN = 0x123456;
    private static final double TIMEOUT_MS = 4.096e-3 * (1 << Operation.RETRY_TIMEOUT);
    /** Bound of the architecture. Ours aims at 1, but the host is busy with the guest. */
    private static final double LONGEST = 4;
    /** The kernel's timer runs from the last response it received, and is rounded to its ticks. */
    private static final double KERNELS_FIRST = 0.4;

    private final List<String> rows = new ArrayList<>();

    @TestFactory
    Stream<DynamicTest> shouldTransmitOnceMoreThanRetryCount(KernelLab lab) {
        List<DynamicTest> tests = new ArrayList<>();
        for (Operation operation : Operation.RETRIES) {
            if (DocTable.isWanted(operation.name())) {
                tests.add(dynamicTest(operation.name(), () -> run(lab, operation)));
            }
        }
        tests.add(dynamicTest("the table", () -> write(lab)));
        return tests.stream();
    }

    /** Runs the operation both ways round in one process and one capture. */
    private void run(KernelLab lab, Operation operation) throws IOException {
        if (!lab.isAlive()) {
            throw new TestAbortedException("the guest died in an earlier case");
        }
        Path directory = CaseDirectory.make(lab.directory().resolve(operation.name()));
        VerbsPeer.start(lab);
        Path capture;
        try (Capture recording = Capture.start(lab, directory.resolve("capture.pcapng"), CaseRun.ROCE)) {
            VerbsPeer.run(lab, directory.resolve("app.txt"), "operation", operation.name(), "both", IpVersion.IPV4);
            capture = recording.stop();
        }
        int psn = operation.name().endsWith("-sampled") ? PSN + 1 : PSN;
        Transmissions ours = Transmissions.of(capture, IpVersion.IPV4.host, Opcode.RC_SEND_ONLY, psn);
        Transmissions kernels = Transmissions.of(capture, IpVersion.IPV4.guest, Opcode.RC_SEND_ONLY, psn);
        int retries = Integer.parseInt(operation.name().split("-")[1]);
        String age = psn == PSN ? "fresh" : "after an exchange";
        rows.add("| " + retries + " | " + age + " | " + shown(ours) + " | " + shown(kernels) + " |");

        assertEquals(retries + 1, ours.count(), ours + " of ours");
        for (double ms : ours.intervalsMs()) {
            assertTrue(ms >= TIMEOUT_MS && ms <= LONGEST * TIMEOUT_MS, ours + " of ours");
        }
        if (retries < Operation.MOST_RETRIES) {
            assertEquals(retries + 1, kernels.count(), kernels + " of the kernel's");
        } else {
            assertTrue(kernels.count() > retries + 1, kernels + " of the kernel's, which never gives up");
        }
        for (double ms : kernels.intervalsMs()) {
            assertTrue(ms >= KERNELS_FIRST * TIMEOUT_MS && ms <= LONGEST * TIMEOUT_MS, kernels + " of the kernel's");
        }
    }

    private static String shown(Transmissions transmissions) {
        return transmissions.count() + " | " + transmissions.intervalsMs().stream().limit(Operation.MOST_RETRIES)
            .map(ms -> String.format(Locale.ROOT, "%.1f", ms)).collect(Collectors.joining(", "));
    }

    private void write(KernelLab lab) throws IOException {
        String table = "| retry_cnt | queue pair | ours: transmissions | intervals, ms | " + lab.peer()
            + ": transmissions | intervals, ms |\n|---|---|---|---|---|---|\n" + String.join("\n", rows) + "\n";
        Files.writeString(lab.directory().resolve("retries.txt"), table);
        System.out.print(table);
    }
}
