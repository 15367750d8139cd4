// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.softrdma.daemon.service.DaemonServer;
import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.daemon.service.TestSession;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.RdmaDevice;

/** A daemon as a process of its own, with RoCE devices on the loopback interface, and this process as a program that has joined it. */
public final class RunningDaemon implements AutoCloseable {
    private static final long START_NS = Duration.ofSeconds(30).toNanos();
    private static final String NETDEV = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();

    private final Path state;
    private final Process process;
    private final DaemonSession session;

    /**
     * Starts a daemon with {@code devices} devices: rxe0, rxe1 and so on.
     *
     * @param options further options of its JVM, which prevail
     */
    public RunningDaemon(int devices, String... options) {
        try {
            state = Files.createTempDirectory("daemon");
            LinkStore store = LinkStore.at(state);
            for (int i = 0; i < devices; i++) {
                store.add("rxe" + i, "rxe", NETDEV);
            }
            List<String> words = new ArrayList<>(List.of(java(), "--enable-native-access=ALL-UNNAMED", "-Xmx192m", "-XX:+UseSerialGC"));
            words.addAll(List.of(options));
            words.addAll(List.of("-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(), state.toString()));
            ProcessBuilder command = new ProcessBuilder(words);
            command.environment().put(LinkStore.DIRECTORY_VARIABLE, state.toString());
            process = command.redirectErrorStream(true).redirectOutput(log().toFile()).start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        session = TestSession.join(state, process, START_NS);
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private Path log() {
        return state.resolve("log");
    }

    /** Returns its state directory. */
    public Path state() {
        return state;
    }

    DaemonSession session() {
        return session;
    }

    /** Returns a session of its own, as another program has. */
    DaemonSession another() {
        return TestSession.join(state, process, START_NS);
    }

    /** Deletes a link, which the daemon notices at the next look at its devices. */
    void deleteDevice(String name) {
        LinkStore.at(state).remove(name);
    }

    /** Returns what {@code daemon status} prints. */
    String status() {
        return TestSession.status(state);
    }

    List<RdmaDevice> devices() {
        return DaemonProvider.of(session);
    }

    Process process() {
        return process;
    }

    /** Ends the daemon. Its log must name no failure. */
    @Override
    public void close() {
        session.close();
        process.destroy();
        try {
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), "the daemon ends");
            String log = Files.readString(log());
            assertTrue(!log.contains("ERROR") && !log.contains("SEVERE") && !log.contains("Exception"), log);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } finally {
            process.destroyForcibly();
            delete();
        }
    }

    private void delete() {
        try (Stream<Path> files = Files.walk(state)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException left) {
            throw new UncheckedIOException(left);
        }
    }

    /** The daemon's process. */
    static final class Main {
        private Main() {
        }

        public static void main(String[] arguments) {
            DaemonServer.serve(Path.of(arguments[0]), Duration.ZERO);
        }
    }
}
