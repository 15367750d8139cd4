// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.app.IwarpApp;
import org.softrdma.interop.app.IwarpViolation;

/** iWARP, with a guest whose device is the kernel's siw. {@code -Dsoftrdma.case=REGEX} runs some of the cases. */
class SiwTest {
    @RegisterExtension
    static final LabExtension LAB = new LabExtension(KernelLab.Suite.SIW);

    private static final String VIOLATIONS = "siw-violations";
    private static final Duration DEADLINE = Duration.ofSeconds(240);
    private static final int FIRST_PORT = 7900;

    @TestFactory
    Stream<DynamicNode> shouldConnectWithTheKernelsSiw(KernelLab lab) {
        return new Matrix(lab, "siw").tests(Stream.of(SiwCases.all(), SiwOperations.all(lab), SiwMeasurements.all())
            .flatMap(List::stream).toList());
    }

    @TestFactory
    Stream<DynamicNode> shouldRunCProgramsWithTheKernelsSiw(KernelLab lab) {
        return new Matrix(lab, "c-programs-siw").tests(CPrograms.overIwarp());
    }

    @AfterAll
    static void stopDaemon(KernelLab lab) {
        CPrograms.stopDaemon(lab);
    }

    /** Sends the same hand-made frames to the kernel's accepting end and to ours. */
    @TestFactory
    Stream<DynamicTest> shouldAnswerViolationsAsDocumented(KernelLab lab) {
        return Stream.of(VIOLATIONS).filter(DocTable::isWanted).map(id -> dynamicTest(id, () -> violate(lab)));
    }

    private static void violate(KernelLab lab) throws IOException {
        Path directory = CaseDirectory.make(lab.directory().resolve(VIOLATIONS));
        Map<String, String> seen = new HashMap<>();
        VerbsPeer.start(lab);
        try (RunningCommand app = VerbsPeer.application(lab, directory.resolve("app.txt"), IwarpApp.class, IpVersion.IPV4.host,
                IpVersion.IPV4.guest, Integer.toString(FIRST_PORT))) {
            app.awaitSuccess(DEADLINE).lines().forEach(line -> {
                String[] words = line.split(" ", 3);
                if (words.length == 3) {
                    seen.put(words[0] + " " + words[1], words[2]);
                }
            });
        }
        StringBuilder text = new StringBuilder("| what is sent | RFCs | " + lab.peer() + " | ours |\n|---|---|---|---|\n");
        for (int i = 0; i < IwarpViolation.ALL.size(); i++) {
            IwarpViolation violation = IwarpViolation.ALL.get(i);
            text.append("| ").append(violation.name()).append(" | ").append(violation.rfc()).append(" | ")
                .append(seen.get(IwarpApp.KERNEL + i)).append(" | ").append(seen.get(IwarpApp.OURS + i)).append(" |\n");
        }
        DocTable.check(VIOLATIONS, text.toString());
    }
}
