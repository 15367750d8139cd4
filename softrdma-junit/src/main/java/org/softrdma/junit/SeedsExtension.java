// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs a test for each seed of its {@link Seeds}. */
final class SeedsExtension implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getTestMethod(), Seeds.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Seeds seeds = AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), Seeds.class).orElseThrow();
        if (seeds.value() < 1 || seeds.failureThreshold() < 1) {
            throw new IllegalArgumentException("@Seeds of " + context.getDisplayName() + ": value and failureThreshold are at least 1");
        }
        AtomicInteger failed = new AtomicInteger();
        Long only = FabricSession.seedOfProperty();
        LongStream all = only != null ? LongStream.of(only) : LongStream.range(seeds.first(), seeds.first() + seeds.value());
        return all.mapToObj(seed -> new Invocation(seed, failed, seeds.failureThreshold()));
    }

    private record Invocation(long seed, AtomicInteger failed, int threshold) implements TestTemplateInvocationContext {
        @Override
        public String getDisplayName(int index) {
            return "seed " + seed;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new OneSeed(seed, failed, threshold));
        }
    }

    /** Passes the seed on to the test's fabric, and skips it once too many have failed. */
    private record OneSeed(long seed, AtomicInteger failed, int threshold)
        implements BeforeEachCallback, AfterTestExecutionCallback, ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return failed.get() < threshold ? ConditionEvaluationResult.enabled("")
                : ConditionEvaluationResult.disabled(failed.get() + " of the seeds before have failed");
        }

        @Override
        public void beforeEach(ExtensionContext context) {
            FabricSession.useSeed(context, seed, failed);
        }

        @Override
        public void afterTestExecution(ExtensionContext context) {
            if (context.getExecutionException().isPresent()) {
                failed.incrementAndGet();
            }
        }
    }
}
