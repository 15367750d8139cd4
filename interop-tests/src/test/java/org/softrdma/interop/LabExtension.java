// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Injects the {@link KernelLab} shared by the test run or, for another suite, one for the lifetime of the class. A lab that fails to start
 * is a failure in every test that uses it.
 */
final class LabExtension extends RequirementExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(KernelLab.class);

    private final KernelLab.Suite suite;

    LabExtension() {
        this(KernelLab.Suite.BOOKWORM);
    }

    LabExtension(KernelLab.Suite suite) {
        this.suite = suite;
    }

    /** Entry of a store, which JUnit closes at the end: a lab, or the reason why it failed to start. */
    private record Held(KernelLab lab, RuntimeException broken) implements AutoCloseable {
        @Override
        public void close() {
            if (lab != null) {
                lab.close();
            }
        }
    }

    @Override
    String missing() {
        return KernelLab.missing();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        super.beforeAll(context);
        Held held = held(context);
        if (held.broken != null) {
            throw held.broken;
        }
        held.lab.requireAlive();
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
