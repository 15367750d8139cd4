// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips tests where the machine lacks a requirement, and reports the requirement; with the system property or environment variable
 * {@code SOFTRDMA_REQUIRE_LAB=true} such tests fail instead.
 */
abstract class RequirementExtension implements ExecutionCondition, BeforeAllCallback {
    private static final String REQUIRE = "SOFTRDMA_REQUIRE_LAB";

    /**
     * Names the missing requirement and how to install it.
     *
     * @return the text, or null if nothing is missing
     */
    abstract String missing();

    /** Evaluates a condition rather than an assumption: surefire reports a class whose assumption fails as having no tests. */
    @Override
    public final ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (Boolean.parseBoolean(System.getProperty(REQUIRE, System.getenv(REQUIRE)))) {
            return ConditionEvaluationResult.enabled(REQUIRE + " is set");
        }
        String missing = missing();
        return missing == null ? ConditionEvaluationResult.enabled("nothing is missing") : ConditionEvaluationResult.disabled(missing);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        String missing = missing();
        if (missing != null) {
            throw new AssertionError(REQUIRE + " is set, but " + missing);
        }
    }

    /** Names the first of some programs that is not installed; null if all are. */
    static String missing(List<String> programs) {
        return programs.stream().filter(program -> !isInstalled(program)).findFirst()
            .map(program -> program + " is not installed; interop-tests/lab/install installs what these tests need").orElse(null);
    }

    /** Whether a program is installed, also in directories that only root has on the PATH. */
    static boolean isInstalled(String program) {
        return Stream.of((System.getenv("PATH") + ":/usr/sbin:/sbin").split(":"))
            .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }
}
