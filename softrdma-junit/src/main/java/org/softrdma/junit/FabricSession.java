// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.softrdma.testing.Fabric;
import org.softrdma.testing.FabricOptions;
import org.softrdma.testing.Leak;
import org.softrdma.testing.RdmaPair;

/** The fabric of one test, created when the first parameter asks for it. */
final class FabricSession {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(FabricSession.class);

    private final SoftRdma settings;
    private final Fabric fabric;
    /** Counts failed seeds; null for a test without {@link Seeds}. */
    private final AtomicInteger failedSeeds;
    private RdmaPair pair;

    /** Seed of a test with {@link Seeds}. */
    private record GivenSeed(long seed, AtomicInteger failed) {
    }

    private FabricSession(SoftRdma settings, long seed, AtomicInteger failedSeeds) {
        this.settings = settings;
        this.failedSeeds = failedSeeds;
        FabricOptions options = FabricOptions.DEFAULT.withDevices(settings.devices(), settings.kind()).withFaults(settings.faults())
            .withMtu(settings.mtu()).withSeed(seed);
        fabric = settings.sockets() ? Fabric.onSockets(options) : Fabric.simulated(options);
    }

    // ---- of a test ----

    static void useSeed(ExtensionContext context, long seed, AtomicInteger failed) {
        context.getStore(NAMESPACE).put(GivenSeed.class, new GivenSeed(seed, failed));
    }

    /** Seed that the user asks for; null if there is none. */
    static Long seedOfProperty() {
        String text = System.getProperty(SoftRdma.SEED_PROPERTY);
        try {
            return text == null ? null : Long.valueOf(text);
        } catch (NumberFormatException refused) {
            throw new ExtensionConfigurationException("-D" + SoftRdma.SEED_PROPERTY + "=" + text + ": a seed is a whole number", refused);
        }
    }

    /** Returns the session of a test; null if nothing of it was needed yet. */
    static FabricSession existing(ExtensionContext context) {
        return context.getStore(NAMESPACE).get(FabricSession.class, FabricSession.class);
    }

    static FabricSession of(ExtensionContext context) {
        return context.getStore(NAMESPACE).getOrComputeIfAbsent(FabricSession.class, type -> open(context), FabricSession.class);
    }

    private static FabricSession open(ExtensionContext context) {
        SoftRdma settings = settings(context);
        GivenSeed given = context.getStore(NAMESPACE).get(GivenSeed.class, GivenSeed.class);
        Long asked = seedOfProperty();
        long seed = asked != null ? asked : given != null ? given.seed : settings.seed();
        return new FabricSession(settings, seed, given == null ? null : given.failed);
    }

    /** The annotation of the method, or of the innermost class that has one. */
    private static SoftRdma settings(ExtensionContext context) {
        var ofMethod = AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), SoftRdma.class);
        if (ofMethod.isPresent()) {
            return ofMethod.get();
        }
        for (Class<?> type = context.getRequiredTestClass(); type != null; type = type.getEnclosingClass()) {
            var ofClass = AnnotationSupport.findAnnotation(type, SoftRdma.class);
            if (ofClass.isPresent()) {
                return ofClass.get();
            }
        }
        throw new ExtensionConfigurationException(context.getDisplayName() + " has no @SoftRdma");
    }

    // ---- what a test gets ----

    SoftRdma settings() {
        return settings;
    }

    Fabric fabric() {
        return fabric;
    }

    RdmaPair pair() {
        if (pair == null) {
            if (fabric.size() < 2) {
                throw new ExtensionConfigurationException("an RdmaPair needs two devices: @SoftRdma(devices = 2)");
            }
            pair = fabric.pair(0, 1);
        }
        return pair;
    }

    // ---- the end ----

    /** Returns what the test has left behind; nothing where that is not wanted. */
    List<Leak> leaks() {
        return settings.leaks() ? fabric.leaks() : List.of();
    }

    void noteLeak() {
        if (failedSeeds != null) {
            failedSeeds.incrementAndGet();
        }
    }

    void close() {
        fabric.close();
    }
}
