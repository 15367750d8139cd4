// SPDX-License-Identifier: Apache-2.0
package org.softrdma.examples.keyvalue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The tests of the store find the bugs that are planted in it, and their reports say what happened. */
class PlantedBugsTest {
    private static final Pattern RECORDING = Pattern.compile("recording: +(\\S+\\.pcapng)");

    private static EngineExecutionResults run(Class<?> test) {
        return EngineTestKit.engine("junit-jupiter").selectors(selectClass(test)).execute();
    }

    private static String onlyReport(Class<?> test, String name) {
        List<String> reports = run(test).testEvents().failed().stream()
            .filter(event -> event.getTestDescriptor().getParent().orElseThrow().getDisplayName().contains(name)
                || event.getTestDescriptor().getDisplayName().contains(name))
            .map(event -> event.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow().getMessage()).toList();
        assertEquals(1, reports.size(), reports.toString());
        String report = reports.getFirst();
        assertTrue(report.contains("softrdma: seed "), report);
        assertTrue(report.contains("-Dsoftrdma.seed="), report);
        assertTrue(report.contains("counters:"), report);
        assertTrue(RECORDING.matcher(report).find(), report);
        return report;
    }

    @Test
    void shouldPassWithoutBugs() {
        EngineExecutionResults results = run(KeyValueStoreTest.class);
        assertEquals(0, results.testEvents().failed().count());
        assertEquals(201, results.testEvents().succeeded().count());
    }

    @Test
    void shouldFindAMixtureOfOldAndNew() {
        String report = onlyReport(PlantedBugs.UnmarkedWrite.class, "shouldNeverShowAMixtureOfOldAndNew");
        assertTrue(report.startsWith("expected: <"), report);
    }

    @Test
    void shouldFindAWrongSlot() {
        String report = onlyReport(PlantedBugs.WrongSlot.class, "shouldReturnWhatWasStored");
        assertTrue(report.contains("REM_ACCESS_ERR"), report);
    }

    @Test
    void shouldFindReusedMemory() {
        String report = onlyReport(PlantedBugs.ReusedMemory.class, "shouldReturnWhatWasStored");
        assertTrue(report.matches("(?s)expected: <value \\d+> but was: <value \\d+>\n.*"), report);
        assertTrue(report.contains("retransmitted_pkts +"), "a repeated packet carried the new value: " + report);
    }

    @Test
    void shouldFindForgottenMemory() {
        String report = onlyReport(PlantedBugs.ForgottenMemory.class, "shouldReturnWhatWasStored");
        assertTrue(report.contains("the test has left behind"), report);
        assertTrue(report.contains("registered memory"), report);
        assertTrue(report.contains("KeyValueClient.java:"), report);
    }
}
