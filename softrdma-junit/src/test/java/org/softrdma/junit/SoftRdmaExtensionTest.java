// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.opentest4j.AssertionFailedError;
import org.softrdma.testing.Counters;
import org.softrdma.testing.DeviceKind;
import org.softrdma.testing.Fabric;
import org.softrdma.testing.RdmaPair;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.cm.ConnectionManager;

/** The extension as its users see it: what tests get, and how they fail. */
class SoftRdmaExtensionTest {
    private static EngineExecutionResults run(Class<?> test) {
        return EngineTestKit.engine("junit-jupiter").selectors(selectClass(test)).execute();
    }

    private static void passes(EngineExecutionResults results, long tests) {
        assertEquals(List.of(), failures(results));
        results.testEvents().assertStatistics(counts -> counts.succeeded(tests));
    }

    private static List<Throwable> failures(EngineExecutionResults results) {
        return results.allEvents().failed().stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow()).toList();
    }

    private static Throwable onlyFailure(Class<?> test) {
        List<Throwable> failures = failures(run(test));
        assertEquals(1, failures.size(), failures.toString());
        return failures.getFirst();
    }

    // ---- parameters ----

    @SoftRdma(devices = 3)
    static class Parameters {
        private Context before;

        @BeforeEach
        void open(Context first) {
            before = first;
        }

        @AfterEach
        void look(Fabric fabric) {
            assertEquals(3, fabric.size());
        }

        @Test
        void shouldGetEverything(Fabric fabric, RdmaDevice first, RdmaDevice second, Context one, @OnDevice(2) Context three, RdmaPair pair,
                Counters counters, ConnectionManager manager, @OnDevice(1) ConnectionManager other) {
            assertSame(fabric.device(0), first);
            assertSame(fabric.device(1), second);
            assertSame(before, one);
            assertNotEquals(one.device().nodeGuid(), three.device().nodeGuid());
            assertEquals(0, pair.left().device());
            assertEquals(1, pair.right().device());
            assertEquals(0, counters.moved(0, "sent_pkts"));
            assertSame(fabric.connectionManager(0), manager);
            assertSame(fabric.connectionManager(1), other);
            assertTrue(fabric.isSimulated());
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void shouldStandBesideOtherParameters(int number, RdmaPair pair) {
            assertTrue(number > 0 && pair != null);
        }

        @Test
        @SoftRdma(devices = 3, kind = DeviceKind.IWARP, seed = 12)
        void shouldPreferTheMethodsSettings(Fabric fabric, RdmaPair pair) {
            assertEquals(DeviceKind.IWARP, fabric.kind(0));
            assertEquals(12, fabric.seed());
        }

        @Test
        @SoftRdma(devices = 3, sockets = true)
        void shouldRunOnSockets(RdmaPair pair, Fabric fabric) {
            assertTrue(!fabric.isSimulated());
        }

        @Nested
        class Inner {
            @Test
            void shouldInheritTheSettingsOfTheOuterClass(Fabric fabric) {
                assertEquals(3, fabric.size());
            }
        }
    }

    @Test
    void shouldGiveTestsWhatTheyName() {
        passes(run(Parameters.class), 6);
    }

    @SoftRdma
    static class TooFewDevices {
        @Test
        void test(@OnDevice(2) Context third) {
        }
    }

    @Test
    void shouldSayWhichDevicesThereAre() {
        String message = onlyFailure(TooFewDevices.class).getMessage();
        assertTrue(message.contains("is of device 2; there are 2"), message);
    }

    @SoftRdma(faults = "drop=200%")
    static class BadFaults {
        @Test
        void test(Fabric fabric) {
        }
    }

    @Test
    void shouldExplainFaultsThatAreRefused() {
        Throwable failure = onlyFailure(BadFaults.class);
        assertTrue(String.valueOf(failure.getMessage()).contains("drop=200%"), failure.toString());
    }

    // ---- seeds ----

    private static final Queue<Long> SEEN = new ConcurrentLinkedQueue<>();

    @SoftRdma
    static class ManySeeds {
        @Seeds(value = 20, first = 100)
        void test(Fabric fabric) {
            SEEN.add(fabric.seed());
        }
    }

    @Test
    void shouldRunOnceForEachSeed() {
        SEEN.clear();
        passes(run(ManySeeds.class), 20);
        assertEquals(LongStream.range(100, 120).boxed().toList(), List.copyOf(SEEN));
    }

    @SoftRdma
    static class FailsFromSeedFive {
        @Seeds(value = 20, failureThreshold = 2)
        void test(Fabric fabric) {
            assertTrue(fabric.seed() < 5, "planted");
        }
    }

    @Test
    void shouldSkipSeedsOnceTooManyHaveFailed() {
        EngineExecutionResults results = run(FailsFromSeedFive.class);
        results.testEvents().assertStatistics(counts -> counts.succeeded(4).failed(2).skipped(14));
        assertTrue(failures(results).getFirst().getMessage().startsWith("planted"), failures(results).toString());
        assertTrue(failures(results).getFirst().getMessage().contains("softrdma: seed 5, simulated"), failures(results).toString());
    }

    @Test
    void shouldRepeatTheSeedOfTheProperty() {
        SEEN.clear();
        System.setProperty(SoftRdma.SEED_PROPERTY, "4711");
        try {
            passes(run(ManySeeds.class), 1);
        } finally {
            System.clearProperty(SoftRdma.SEED_PROPERTY);
        }
        assertEquals(List.of(4711L), List.copyOf(SEEN));
    }

    @SoftRdma(faults = "drop=5%")
    static class Parallel {
        @Seeds(40)
        void test(RdmaPair pair) {
            try (MemoryRegion from = pair.left().register(8); MemoryRegion to = pair.right().register(8)) {
                pair.left().qp().postSend(new SendRequest().write(to.address(), to.rkey()).wrId(7).element(from, 0, 8).signaled());
                assertTrue(pair.left().await().isSuccess());
                SEEN.add(pair.left().fabric().nowNs());
            }
        }
    }

    @Test
    void shouldRunInParallel() {
        SEEN.clear();
        passes(run(Parallel.class), 40);
        List<Long> alone = SEEN.stream().sorted().toList();
        SEEN.clear();
        passes(EngineTestKit.engine("junit-jupiter").selectors(selectClass(Parallel.class))
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
            .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
            .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
            .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4").execute(), 40);
        assertEquals(alone, SEEN.stream().sorted().toList(), "virtual times depend on the seeds only");
    }

    // ---- failures ----

    @SoftRdma(seed = 9)
    static class Failing {
        @Test
        void compares(RdmaPair pair, Fabric fabric) {
            try (MemoryRegion from = pair.left().register(8)) {
                pair.left().qp().postSend(new SendRequest().write(0, 0x123).wrId(1).element(from, 0, 8).signaled());
                assertEquals("SUCCESS", pair.left().await().status().toString());
            }
        }
    }

    @Test
    void shouldReportSeedCountersAndRecordingAndKeepTheComparison() {
        AssertionFailedError failure = assertInstanceOf(AssertionFailedError.class, onlyFailure(Failing.class));
        assertEquals("REM_ACCESS_ERR", failure.getActual().getStringRepresentation());
        String report = failure.getMessage();
        assertTrue(report.contains("softrdma: seed 9, simulated, faults none, virtual time"), report);
        assertTrue(report.contains("test0: sent_pkts +"), report);
        assertTrue(report.contains("softrdma-recordings") && report.contains("Failing.compares-seed9.pcapng"), report);
        assertEquals("compares", Arrays.stream(failure.getStackTrace())
            .filter(frame -> frame.getClassName().equals(Failing.class.getName())).findFirst().orElseThrow().getMethodName());
    }

    @SoftRdma
    static class Aborted {
        @Test
        void test(Fabric fabric) {
            Assumptions.abort("not here");
        }
    }

    @Test
    void shouldLeaveAbortedTestsAlone() {
        run(Aborted.class).testEvents().assertStatistics(counts -> counts.aborted(1).failed(0));
    }

    // ---- leaks ----

    @SoftRdma
    static class Leaking {
        @Test
        void leavesAQueue(Context context) {
            context.createCq(4);
        }

        @Test
        void leavesADevice(RdmaDevice device) {
            device.open();
        }

        @Test
        void neverPolls(RdmaPair pair, Fabric fabric) {
            try (MemoryRegion from = pair.left().register(8); MemoryRegion to = pair.right().register(8)) {
                pair.left().qp().postSend(new SendRequest().write(to.address(), to.rkey()).wrId(3).element(from, 0, 8).signaled());
                fabric.runFor(Duration.ofMillis(1));
            }
        }

        @Test
        @SoftRdma(leaks = false)
        void mayLeak(Context context) {
            context.createCq(4);
        }
    }

    @Test
    void shouldFailTestsThatLeak() {
        List<String> reports = failures(run(Leaking.class)).stream().map(Throwable::getMessage).toList();
        assertEquals(3, reports.size(), reports.toString());
        for (String part : List.of("not closed: cq", "not closed: context", "never polled from cq")) {
            assertEquals(1, reports.stream().filter(report -> report.contains(part)).count(), part + " in " + reports);
        }
        assertTrue(reports.stream().filter(report -> !report.contains("never polled")).allMatch(report ->
            report.contains("SoftRdmaExtensionTest.java:")), reports.toString());
    }

    @Test
    void shouldRefuseASeedThatIsNoNumber() {
        System.setProperty(SoftRdma.SEED_PROPERTY, "many");
        try {
            assertTrue(failures(run(ManySeeds.class)).getFirst().getMessage().contains("a seed is a whole number"));
        } finally {
            System.clearProperty(SoftRdma.SEED_PROPERTY);
        }
    }
}
