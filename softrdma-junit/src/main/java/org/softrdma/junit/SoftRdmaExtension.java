// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;
import org.softrdma.testing.Counters;
import org.softrdma.testing.Fabric;
import org.softrdma.testing.Leak;
import org.softrdma.testing.RdmaPair;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.cm.ConnectionManager;

/** Behind {@link SoftRdma}: provides the parameters, reports failures and leaks, and closes the fabric. */
final class SoftRdmaExtension
    implements ParameterResolver, TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler, AfterEachCallback {

    /** Types of parameters that the whole fabric has one of. */
    private static final Map<Class<?>, Function<FabricSession, Object>> OF_FABRIC = Map.of(
        Fabric.class, FabricSession::fabric,
        RdmaPair.class, FabricSession::pair,
        Counters.class, session -> session.fabric().counters());
    /** Types of parameters that each device has one of. */
    private static final Map<Class<?>, BiFunction<FabricSession, Integer, Object>> OF_DEVICE = Map.of(
        RdmaDevice.class, (session, device) -> session.fabric().device(device),
        Context.class, (session, device) -> session.fabric().context(device),
        ConnectionManager.class, (session, device) -> session.fabric().connectionManager(device));

    // ---- parameters ----

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return context.getTestMethod().isPresent() && (OF_FABRIC.containsKey(type) || OF_DEVICE.containsKey(type));
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        FabricSession session = FabricSession.of(context);
        Class<?> type = parameter.getParameter().getType();
        if (OF_FABRIC.containsKey(type)) {
            return OF_FABRIC.get(type).apply(session);
        }
        int device = deviceOf(parameter);
        if (device < 0 || device >= session.fabric().size()) {
            throw new ParameterResolutionException("parameter " + parameter.getParameter() + " is of device " + device + "; there are "
                + session.fabric().size() + ", see @SoftRdma(devices = N) and @OnDevice");
        }
        return OF_DEVICE.get(type).apply(session, device);
    }

    /** The device that the parameter names, or the one of its position among those of its type. */
    private static int deviceOf(ParameterContext parameter) {
        return parameter.findAnnotation(OnDevice.class).map(OnDevice::value).orElseGet(() -> {
            int before = 0;
            for (int i = 0; i < parameter.getIndex(); i++) {
                if (parameter.getDeclaringExecutable().getParameterTypes()[i] == parameter.getParameter().getType()) {
                    before++;
                }
            }
            return before;
        });
    }

    // ---- failures ----

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw reported(context, failure);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw reported(context, failure);
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw reported(context, failure);
    }

    private static Throwable reported(ExtensionContext context, Throwable failure) {
        FabricSession session = FabricSession.existing(context);
        boolean known = session == null || failure instanceof TestAbortedException || failure instanceof ReportedFailure;
        return known ? failure : ReportedFailure.of(failure, FailureReport.of(context, session));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        FabricSession session = FabricSession.existing(context);
        if (session == null) {
            return;
        }
        try {
            if (context.getExecutionException().isEmpty()) {
                failOnLeaks(context, session);
            }
        } finally {
            session.close();
        }
    }

    private static void failOnLeaks(ExtensionContext context, FabricSession session) {
        List<Leak> leaks = session.leaks();
        if (!leaks.isEmpty()) {
            session.noteLeak();
            StringBuilder text = new StringBuilder("the test has left behind:");
            for (Leak leak : leaks) {
                text.append(System.lineSeparator()).append("  ").append(leak);
            }
            throw ReportedFailure.of(new AssertionError(text.toString()), FailureReport.of(context, session));
        }
    }
}
