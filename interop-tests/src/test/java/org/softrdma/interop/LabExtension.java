// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the one {@link KernelLab} of the test run, or with a later suite one for the length of the class. Where no lab can be, tests
 * are skipped and say why; with the system property or environment variable {@code SOFTRDMA_REQUIRE_LAB=true} they fail instead. A lab that
 * should start and does not is a failure everywhere.
 */
final class LabExtension implements ExecutionCondition, BeforeAllCallback, ParameterResolver {
    static final String REQUIRE = "SOFTRDMA_REQUIRE_LAB";
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(KernelLab.class);

    private final KernelLab.Suite suite;

    LabExtension() {
        this(KernelLab.Suite.BOOKWORM);
    }

    LabExtension(KernelLab.Suite suite) {
        this.suite = suite;
    }

    /** In a store, which JUnit closes at the end: either a lab or why there is none. */
    private record Held(KernelLab lab, RuntimeException broken) implements AutoCloseable {
        @Override
        public void close() {
            if (lab != null) {
                lab.close();
            }
        }
    }

    /** A condition and no assumption: surefire reports a class whose assumption fails as no tests at all. */
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String missing = KernelLab.missing();
        if (missing == null || isRequired()) {
            return ConditionEvaluationResult.enabled("the kernel lab is there, or required");
        }
        return ConditionEvaluationResult.disabled(missing);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        String missing = KernelLab.missing();
        if (missing != null) {
            throw new AssertionError(REQUIRE + " is set, but " + missing);
        }
        Held held = held(context);
        if (held.broken != null) {
            throw held.broken;
        }
        held.lab.requireAlive();
    }

    static boolean isRequired() {
        return Boolean.parseBoolean(System.getProperty(REQUIRE, System.getenv(REQUIRE)));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == KernelLab.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return held(context).lab;
    }

    private Held held(ExtensionContext context) {
        ExtensionContext holder = suite == KernelLab.Suite.BOOKWORM ? context.getRoot() : context;
        return holder.getStore(NAMESPACE).getOrComputeIfAbsent(suite, key -> {
            try {
                return new Held(KernelLab.boot(suite), null);
            } catch (RuntimeException broken) {
                return new Held(null, broken);
            }
        }, Held.class);
    }
}
