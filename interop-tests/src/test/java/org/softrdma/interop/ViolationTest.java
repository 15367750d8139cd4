// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.TestAbortedException;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.interop.app.VerbsApp;
import org.softrdma.interop.app.Violation;

/**
 * Answers of a responder to requests it must not accept: the kernel's answers when we break the rules, and ours when the kernel does. The
 * table in docs/interop.md must agree with the results. IBA vol 1 §9.7.5, §9.9.3.
 */
@ExtendWith(LabExtension.class)
class ViolationTest {
    /** Answers by violation. They outlive one run: when failed tests are run again, the table still shows all. */
    private static final Map<String, Map<Role, String>> SEEN = new LinkedHashMap<>();

    @TestFactory
    Stream<DynamicTest> shouldAnswerViolationsAsDocumented(KernelLab lab) {
        List<DynamicTest> tests = new ArrayList<>();
        int number = 1;
        for (Violation violation : Violation.ALL) {
            String id = String.format("violation-%02d", number++);
            if (DocTable.isWanted(id)) {
                tests.add(dynamicTest(id + ": " + violation.name(), () -> run(lab, id, violation)));
            }
        }
        if (!DocTable.isPartialRun()) {
            tests.add(dynamicTest("docs/interop.md shows these answers", () -> DocTable.check("violations", table(lab))));
        }
        return tests.stream();
    }

    /**
     * Runs a violation both ways round in one process and one capture: only a responder sends answers, so the two directions can be told
     * apart.
     */
    private void run(KernelLab lab, String id, Violation violation) throws IOException {
        if (!lab.isAlive()) {
            throw new TestAbortedException("the guest died in an earlier case");
        }
        Path directory = CaseDirectory.make(lab.directory().resolve(id));
        VerbsPeer.start(lab);
        Path capture;
        String output;
        try (Capture recording = Capture.start(lab, directory.resolve("capture.pcapng"), CaseRun.ROCE)) {
            output = VerbsPeer.run(lab, directory.resolve("app.txt"), "violation", violation.name(), "both", IpVersion.IPV4);
            capture = recording.stop();
        }
        CaptureReport report = CaptureReport.of(capture);
        Files.writeString(directory.resolve("capture.txt"), report.toString());
        Map<Role, String> answers = new EnumMap<>(Role.class);
        for (Role role : List.of(Role.REQUESTER, Role.RESPONDER)) {
            String prefix = VerbsApp.OBSERVED + role + ": ";
            String observed = output.lines().filter(line -> line.startsWith(prefix)).findFirst().orElseThrow();
            int responder = role == Role.REQUESTER ? CaptureReport.KERNEL : CaptureReport.OURS;
            answers.put(role, report.answer(responder) + "; " + observed.substring(prefix.length()));
        }
        SEEN.put(violation.name(), answers);
        if (report.defectCount() > 0) {
            throw new AssertionError(id + ": " + report);
        }
    }

    private String table(KernelLab lab) {
        StringBuilder text = new StringBuilder("| what is wrong | IBA | rxe of Linux " + Matrix.shortVersion(lab.kernel())
            + " as responder | ours as responder |\n|---|---|---|---|\n");
        for (Violation violation : Violation.ALL) {
            Map<Role, String> answers = SEEN.getOrDefault(violation.name(), Map.of());
            text.append("| ").append(violation.name()).append(" | ").append(violation.iba()).append(" | ")
                .append(answers.getOrDefault(Role.REQUESTER, "–")).append(" | ").append(answers.getOrDefault(Role.RESPONDER, "–"))
                .append(" |\n");
        }
        return text.toString();
    }
}
