// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Tests that need tshark are skipped where it is missing, and say so; where the kernel lab is required, it is required, too
 * ({@link LabExtension}).
 */
final class TsharkExtension implements ExecutionCondition, BeforeAllCallback {
    private static final String MISSING = "tshark is not installed; interop-tests/lab/install installs what the lab needs";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return isThere() || LabExtension.isRequired() ? ConditionEvaluationResult.enabled("tshark is there, or required")
            : ConditionEvaluationResult.disabled(MISSING);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (!isThere()) {
            throw new AssertionError(LabExtension.REQUIRE + " is set, but " + MISSING);
        }
    }

    private static boolean isThere() {
        return Stream.of((System.getenv("PATH") + ":/usr/sbin:/sbin").split(":"))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "tshark")));
    }
}
