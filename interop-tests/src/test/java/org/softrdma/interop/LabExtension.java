// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the one {@link KernelLab} of the test run, or with a later suite one for the length of the class. A lab that should start and
 * does not is a failure everywhere.
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

    /** In a store, which JUnit closes at the end: either a lab or why there is none. */
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
