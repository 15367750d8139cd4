// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Injects a {@link KernelLab}: the one of this JVM, up from its first use to the end of the JVM, or for another suite one for the lifetime
 * of the class. A lab that fails to start is a failure in every test that uses it.
 */
final class LabExtension extends RequirementExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(KernelLab.class);
    /** JUnit's own stores end with each class: surefire hands the classes to its two JVMs one by one. */
    private static Held ofThisJvm;

    private final KernelLab.Suite suite;

    LabExtension() {
        this(KernelLab.Suite.BOOKWORM);
    }

    LabExtension(KernelLab.Suite suite) {
        this.suite = suite;
    }

    /** A lab, or the reason why it failed to start. A store closes it at its end. */
    private record Held(KernelLab lab, RuntimeException broken) implements AutoCloseable {
        static Held boot(KernelLab.Suite suite) {
            try {
                return new Held(KernelLab.boot(suite), null);
            } catch (RuntimeException broken) {
                return new Held(null, broken);
            }
        }

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
        return suite == KernelLab.Suite.BOOKWORM ? ofThisJvm()
            : context.getStore(NAMESPACE).getOrComputeIfAbsent(suite, Held::boot, Held.class);
    }

    private static synchronized Held ofThisJvm() {
        if (ofThisJvm == null) {
            ofThisJvm = Held.boot(KernelLab.Suite.BOOKWORM);
            Runtime.getRuntime().addShutdownHook(new Thread(ofThisJvm::close, "lab-down"));
        }
        return ofThisJvm;
    }
}
