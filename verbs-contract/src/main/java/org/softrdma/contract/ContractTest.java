// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.AnnotatedElement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;

/**
 * One topic of the contract. Each test has its own fabric; all objects it created are closed afterwards, which tests another promise: all
 * objects close, and then the context does.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
public abstract class ContractTest {
    final Setup setup = new Setup();
    final SendRequest wr = new SendRequest();
    final ReceiveRequest recv = new ReceiveRequest();
    /** The two ends of most tests, once {@link #open} or {@link #connect} was called. */
    End a;
    End b;

    @RegisterExtension
    final Surroundings surroundings = new Surroundings();

    private final Deque<AutoCloseable> made = new ArrayDeque<>();
    private AllContracts provider;
    private ContractFabric fabric;

    /** A connection: two queue pairs, each the other's peer. */
    record Connection(QueuePair ofA, QueuePair ofB) {
    }

    final ContractFabric fabric() {
        return fabric;
    }

    /** Creates both ends, not connected. */
    final void open() {
        a = new End(this, 0);
        b = new End(this, 1);
    }

    /** Creates both ends, connected. */
    final void connect() {
        open();
        fabric.connect(a.qp, 0, b.qp, 1, setup);
    }

    /** Creates a further connection between the two devices. */
    final Connection connectMore(ProtectionDomain ofA, ProtectionDomain ofB) {
        Connection connection = new Connection(a.newQp(ofA), b.newQp(ofB));
        fabric.connect(connection.ofA, 0, connection.ofB, 1, setup);
        return connection;
    }

    /** Opens a further context of a device, closed after the test. */
    final Context openContext(int device) {
        return keep(fabric.open(device));
    }

    /** Registers an object to be closed after the test, before those registered earlier. */
    final <T extends AutoCloseable> T keep(T object) {
        made.push(object);
        return object;
    }

    /**
     * Returns the result of the signaled request that one of A's queue pairs posted last; the one place that handles this difference
     * between transports. Where completions do not report it, a READ of no bytes is posted behind it: it is answered when all earlier
     * requests are done, and flushed if the peer has ended the connection, which is reported as {@link WcStatus#REM_ACCESS_ERR} then.
     *
     * @param before number of A's send completions before this request
     */
    final WcStatus outcome(QueuePair of, int before) {
        if (!lacks(Capability.ACKNOWLEDGEMENTS)) {
            await(() -> a.sends().size() > before);
            return a.sends().getLast().status();
        }
        of.postSend(wr.read(0, 0).signaled());
        await(() -> a.sends().size() > before + 1);
        WcStatus own = a.sends().get(before).status();
        return own == WcStatus.SUCCESS || own == WcStatus.WR_FLUSH_ERR
            ? a.sends().getLast().isSuccess() ? own : WcStatus.REM_ACCESS_ERR : own;
    }

    private boolean lacks(Capability capability) {
        return provider.unsupported().contains(capability);
    }

    /** Lets time pass until the condition is true; fails if it never is. */
    final void await(BooleanSupplier done) {
        await("the condition awaited", done);
    }

    final void await(String what, BooleanSupplier done) {
        assertTrue(fabric.await(done), () -> what + " did not happen; " + (a == null ? "" : "A: " + a + ", B: " + b));
    }

    /**
     * Asserts that the call fails with that errno and verb, and that its message begins as in the C library and contains the values.
     *
     * @param values must appear in the message
     */
    static VerbsException refused(Errno errno, String verb, Executable call, Object... values) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(List.of(errno, verb), List.of(refused.errno(), refused.verb()), refused.getMessage());
        for (Object value : values) {
            assertTrue(refused.getMessage().contains(value.toString()), "\"" + value + "\" in: " + refused.getMessage());
        }
        assertNamesErrno(refused);
        return refused;
    }

    /** Asserts that the device refuses a call: as {@link #refused}, unless it does not say why. */
    final void refusedByDevice(Errno errno, String verb, Executable call, Object... values) {
        if (fabric().saysWhyItRefuses()) {
            refused(errno, verb, call, values);
            return;
        }
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(verb, refused.verb(), refused.getMessage());
        assertNamesErrno(refused);
    }

    private static void assertNamesErrno(VerbsException refused) {
        String start = refused.verb() + ": " + refused.errno().text() + " (" + refused.errno() + ")";
        assertTrue(refused.getMessage().startsWith(start), refused.getMessage());
    }

    /** Formats keys and numbers as messages do. */
    static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }

    /** Returns bytes that depend on {@code seed}, so that all messages differ. */
    static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private void closeAll() throws Exception {
        List<AutoCloseable> order = new ArrayList<>();
        // A bound window keeps its region open, in whichever order they were created.
        made.stream().filter(MemoryWindow.class::isInstance).forEach(order::add);
        made.stream().filter(each -> !(each instanceof MemoryWindow)).forEach(order::add);
        made.clear();
        Exception first = null;
        for (AutoCloseable each : order) {
            try {
                each.close();
            } catch (Exception refused) {
                if (first == null) {
                    first = refused;
                } else {
                    first.addSuppressed(refused);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Opens the fabric of a test, unless the device lacks a needed capability, and closes everything after the test. */
    private final class Surroundings implements BeforeEachCallback, AfterEachCallback {
        @Override
        public void beforeEach(ExtensionContext context) {
            provider = (AllContracts) context.getRequiredTestInstances().getAllInstances().getFirst();
            require(context.getRequiredTestClass());
            require(context.getRequiredTestMethod());
            fabric = provider.openFabric();
        }

        private void requireNoFindingsBut(ExtensionContext context) {
            List<String> found = new ArrayList<>(fabric.findings());
            found.removeAll(violated(context.getRequiredTestClass()));
            found.removeAll(violated(context.getRequiredTestMethod()));
            assertEquals(List.of(), found, "rules that the test violates, and does not say so with @Violates");
        }

        private static List<String> violated(AnnotatedElement element) {
            Violates violates = element.getAnnotation(Violates.class);
            return violates == null ? List.of() : List.of(violates.value());
        }

        private void require(AnnotatedElement element) {
            Needs needs = element.getAnnotation(Needs.class);
            for (Capability each : needs == null ? new Capability[0] : needs.value()) {
                if (lacks(each)) {
                    Assumptions.abort("unsupported: " + each);
                }
            }
        }

        @Override
        public void afterEach(ExtensionContext context) throws Exception {
            if (fabric == null) {
                return;
            }
            try {
                closeAll();
                requireNoFindingsBut(context);
            } finally {
                fabric.close();
            }
        }
    }
}
