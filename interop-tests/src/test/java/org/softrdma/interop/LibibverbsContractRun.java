// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs {@link LibibverbsContract} in a JVM of its own, which sees the devices; prints a line for each test and the counts at the end. The
 * argument is the {@link ContractAdapter}. Tests that are known to fail do not wait long for what does not happen.
 */
final class LibibverbsContractRun {
    /**
     * Tests without a definite result. The devices are on separate links, so groups do not reach the others. And librxe sends the number of
     * an address handle, which the device may find closed: then the queue pair ends in ERR.
     */
    private static final Set<String> NOT_RUN = Set.of("shouldDeliverToEveryQueuePairAttachedOnEveryDevice", "shouldStopWithDetaching",
        "shouldRefuseSendsWithoutAUsableDestination");

    private static final int STACK_FRAMES = 8;
    private static final Duration SHORTLY = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("softrdma.contract.seconds", 30));

    private LibibverbsContractRun() {
    }

    public static void main(String[] arguments) {
        LibibverbsContract.adapter = ContractAdapter.valueOf(arguments[0]);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(LibibverbsContract.class))
            .filters((PostDiscoveryFilter) LibibverbsContractRun::wanted)
            .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, summary, new Lines());
        PrintWriter out = new PrintWriter(System.out);
        summary.getSummary().printFailuresTo(out, STACK_FRAMES);
        out.printf("contract: %d passed, %d failed, %d unsupported%n", summary.getSummary().getTestsSucceededCount(),
            summary.getSummary().getTestsFailedCount(), summary.getSummary().getTestsAbortedCount());
        out.flush();
        System.exit(summary.getSummary().getTestsFailedCount() == 0 ? 0 : 1);
    }

    private static FilterResult wanted(TestDescriptor test) {
        String id = test.getUniqueId().toString();
        return FilterResult.includedIf(NOT_RUN.stream().noneMatch(id::contains));
    }

    private static final class Lines implements TestExecutionListener {
        private static final Pattern SEGMENT = Pattern.compile("\\[(?:nested-class|method|test-template|test-factory):(?:[\\w.]+#)?(\\w+)");

        private final Set<String> known = LibibverbsContract.adapter.differences();

        @Override
        public void executionStarted(TestIdentifier test) {
            if (test.isTest()) {
                LibibverbsContract.patience = known.contains(name(test)) ? SHORTLY : PATIENCE;
                System.out.println("run " + name(test));
            }
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
                System.out.println(result.getStatus() + " " + name(test));
                result.getThrowable().map(Throwable::getMessage).ifPresent(why -> System.out.println("    " + why.replace("\n", "\n    ")));
            }
        }

        /** Returns class, method and, of a test with parameters, its display name. */
        private static String name(TestIdentifier test) {
            StringBuilder name = new StringBuilder();
            Matcher segments = SEGMENT.matcher(test.getUniqueId());
            while (segments.find()) {
                name.append(name.isEmpty() ? "" : ".").append(segments.group(1));
            }
            return test.getDisplayName().endsWith("()") ? name.toString() : name + " " + test.getDisplayName();
        }
    }
}
