// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** How the suite reports what a device lacks: as aborted, with a reason, and nothing else besides. */
class UnsupportedTest {
    private static final String OPENED = "opened";

    /** A provider that lacks everything. Whoever opens it fails. */
    static class Nothing extends AllContracts {
        @Override
        protected ContractFabric openFabric() {
            throw new IllegalStateException(OPENED);
        }

        @Override
        protected Set<Capability> unsupported() {
            return EnumSet.allOf(Capability.class);
        }
    }

    /** A provider that lacks windows of type 2 and nothing else. */
    static class NoWindowsOfTypeTwo extends Nothing {
        @Override
        protected Set<Capability> unsupported() {
            return Set.of(Capability.WINDOWS_OF_TYPE_2);
        }
    }

    /**
     * Runs one topic.
     *
     * @return how each of its tests ended, and why
     */
    private static Map<String, TestExecutionResult> run(Class<?> provider, Class<?> topic) {
        Map<String, TestExecutionResult> results = new TreeMap<>();
        LauncherFactory.create().execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectNestedClass(List.of(provider), topic)).build(),
            new TestExecutionListener() {
                @Override
                public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                    if (test.isTest()) {
                        results.put(((MethodSource) test.getSource().orElseThrow()).getMethodName(), result);
                    }
                }
            });
        return results;
    }

    private static Set<String> tests(Capability needed) {
        return Arrays.stream(WindowsContract.class.getDeclaredMethods())
            .filter(method -> method.isAnnotationPresent(Test.class) && (needed == null
                || method.isAnnotationPresent(Needs.class) && List.of(method.getAnnotation(Needs.class).value()).contains(needed)))
            .map(method -> method.getName()).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldAbortATopicThatTheDeviceLacks() {
        Map<String, TestExecutionResult> results = run(Nothing.class, AllContracts.Windows.class);
        assertEquals(tests(null), results.keySet());
        results.forEach((test, result) -> {
            assertEquals(TestExecutionResult.Status.ABORTED, result.getStatus(), test);
            assertEquals("unsupported: WINDOWS", result.getThrowable().orElseThrow().getMessage());
        });
    }

    @Test
    void shouldAbortOnlyTheTestsThatNeedWhatIsLacking() {
        Map<String, TestExecutionResult> results = run(NoWindowsOfTypeTwo.class, AllContracts.Windows.class);
        Set<String> aborted = new TreeSet<>();
        results.forEach((test, result) -> {
            if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                aborted.add(test);
            } else {
                assertEquals(OPENED, result.getThrowable().orElseThrow().getMessage(), test);
            }
        });
        assertEquals(tests(null), results.keySet());
        assertEquals(tests(Capability.WINDOWS_OF_TYPE_2), aborted);
    }
}
