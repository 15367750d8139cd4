// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A network namespace of one thread, for the sockets it opens and the processes it starts; the namespace ends with the last of them. Needs
 * root and iproute2 on Linux; elsewhere tests are skipped with the reason, unless {@code SOFTRDMA_REQUIRE_LAB=true}.
 */
public final class OwnNetwork {
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final String REQUIRE = "SOFTRDMA_REQUIRE_LAB";

    private OwnNetwork() {
    }

    /** Code to run in the namespace. */
    public interface Body {
        public void run() throws Throwable;
    }

    /** Runs code in a new namespace, in which only the loopback interface is up. */
    public static void run(Body body) throws Throwable {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().name("own-network").start(() -> {
            try {
                enter();
                sh("ip link set lo up");
                body.run();
            } catch (Throwable failed) {
                failure.set(failed);
            }
        });
        thread.join();
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private static void enter() throws Throwable {
        Linker linker = Linker.nativeLinker();
        boolean entered = linker.defaultLookup().find("unshare").isPresent() && (int) linker.downcallHandle(
            linker.defaultLookup().findOrThrow("unshare"), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
            .invokeExact(CLONE_NEWNET) == 0;
        if (!entered) {
            String missing = "no network namespace can be made: that needs Linux and root";
            if (Boolean.parseBoolean(System.getProperty(REQUIRE, System.getenv(REQUIRE)))) {
                fail(REQUIRE + " is set, but " + missing);
            }
            abort(missing);
        }
    }

    /** Index of an interface in the namespace, even if it has no address. */
    public static int indexOf(String netdev) throws IOException, InterruptedException {
        return Integer.parseInt(sh("ip -o link show " + netdev + " | cut -d: -f1").strip());
    }

    /**
     * Runs a shell command in the namespace, which must succeed.
     *
     * @return its output
     */
    public static String sh(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-ec", command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), command + ": " + output);
        return output;
    }
}
