// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;

/** Base of tests that run the tools as separate processes, on the links of a directory. */
public abstract class ToolProcesses {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    private static final int FIRST_PORT = 20_000;
    private static final int LAST_PORT = 32_000;

    private static final String LOOPBACK = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();

    /** State directory with the links and the files of the processes. */
    @TempDir
    protected Path directory;

    /** Environment of the processes, besides the state directory. */
    protected final Map<String, String> environment = new HashMap<>();

    /** Options of the JVMs of the processes. */
    protected final List<String> jvmOptions = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));

    /** Class path of the processes. */
    protected String classPath = System.getProperty("java.class.path");

    private final List<Started> processes = new ArrayList<>();

    /**
     * Adds a device on the loopback interface.
     *
     * @param type rxe or siw
     */
    protected final void addLink(String name, String type) {
        LinkStore.at(directory).add(name, type, LOOPBACK);
    }

    /** On strict devices ({@code SOFTRDMA_STRICT=on}, for all tests or for one) no tool may violate a rule of adapters. */
    @AfterEach
    final void end() throws IOException {
        processes.forEach(each -> each.process.destroyForcibly());
        List<String> findings = new ArrayList<>();
        for (Started each : processes) {
            Files.readString(each.err).lines().filter(line -> line.contains(": strict: ")).forEach(findings::add);
        }
        assertEquals(List.of(), findings);
    }

    public record Ended(int exitCode, String out, String err) {
    }

    public record Pair(Ended server, Ended client) {
    }

    public record Started(Process process, Path out, Path err) {
        public Ended await() throws IOException, InterruptedException {
            return new Ended(process.waitFor(), Files.readString(out), Files.readString(err));
        }
    }

    protected interface Condition {
        boolean holds() throws IOException;
    }

    /** Runs a client, and waits for both ends. */
    protected final Pair meet(Started server, String client) throws Exception {
        Ended asked = start(client).await();
        return new Pair(server.await(), asked);
    }

    protected final Started startAndAwait(String line, Condition listens) throws Exception {
        Started server = start(line);
        waitFor("the server does not listen", server, listens);
        return server;
    }

    /**
     * Starts a server that listens on the loopback, and waits until it does.
     *
     * @param claim file that names the process that listens: {@code tcp-PORT}
     */
    protected final Started listening(String line, String claim) throws Exception {
        return startAndAwait(line, () -> !listenersAddress(claim).isEmpty());
    }

    /** @return the address in the file that names the process that listens; empty if there is none */
    protected final String listenersAddress(String claim) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "loopback-*")) {
            for (Path each : found) {
                Path file = each.resolve(claim);
                if (Files.exists(file) && Files.size(file) > 0) {
                    return Files.readString(file);
                }
            }
        }
        return "";
    }

    protected static void waitFor(String otherwise, Started of, Condition condition) throws Exception {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.holds()) {
            assertTrue(of.process.isAlive(), () -> otherwise + ": it ended");
            assertFalse(System.nanoTime() - untilNs > 0, otherwise);
            of.process.waitFor(5, TimeUnit.MILLISECONDS);
        }
    }

    /** Runs both ends of a tool with a port {@code -p}. A client that fails before the server listens is started again. */
    protected final Pair pair(String serverCommand, String clientCommand) throws IOException, InterruptedException {
        int port = freePort();
        Started server = start(serverCommand + " -p " + port);
        Ended client;
        do {
            client = start(clientCommand + " -p " + port + " 127.0.0.1").await();
        } while ((client.err.contains("Couldn't connect to") || client.err.contains("Unable to init the socket connection"))
            && server.process.isAlive());
        return new Pair(server.await(), client);
    }

    protected final Started start(String line) throws IOException {
        return start(List.of(), line);
    }

    /** Starts a tool whose standard output is a device; its output is not recorded. */
    protected final Started startWritingTo(Path device, String line) throws IOException {
        return start(List.of(), Softrdma.class, line, device);
    }

    /** @param through command that runs the tool */
    protected final Started start(List<String> through, String line) throws IOException {
        return start(through, Softrdma.class, line, null);
    }

    /** Runs a main class of the tests, in the same way as a tool. */
    protected final Started startClass(Class<?> main, String line) throws IOException {
        return start(List.of(), main, line, null);
    }

    private Started start(List<String> through, Class<?> main, String line, Path device) throws IOException {
        List<String> command = new ArrayList<>(through);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classPath, main.getName()));
        command.addAll(List.of(line.strip().split(" +")));
        Path out = Files.createTempFile(directory, "out", "");
        Path err = Files.createTempFile(directory, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput((device == null ? out : device).toFile())
            .redirectError(err.toFile());
        builder.environment().put(LinkStore.DIRECTORY_VARIABLE, directory.toString());
        builder.environment().putAll(environment);
        Started started = new Started(builder.start(), out, err);
        processes.add(started);
        return started;
    }

    /** Runs {@code rdma resource}, again while a process misses the time limit, as on a busy machine. */
    protected final Ended resources(String line) throws IOException, InterruptedException {
        Ended shown;
        do {
            shown = start(("rdma resource " + line).strip()).await();
        } while (shown.err.contains(" does not respond"));
        return shown;
    }

    /** Puts each directory of the class path into a jar: the JVM opens a file for each class that it loads from a directory. */
    protected final void useJars() throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            Path path = Path.of(entry);
            entries.add(Files.isDirectory(path) ? jarOf(path, directory.resolve("classes-" + entries.size() + ".jar")).toString() : entry);
        }
        classPath = String.join(File.pathSeparator, entries);
    }

    private static Path jarOf(Path classes, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)); Stream<Path> files = Files.walk(classes)) {
            out.setLevel(Deflater.NO_COMPRESSION);
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
            }
        }
        return jar;
    }

    /** @return a free port below the ephemeral ones, so that it is not assigned to another process before it is used */
    protected static int freePort() throws IOException {
        while (true) {
            try (ServerSocket free = new ServerSocket(ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT))) {
                return free.getLocalPort();
            } catch (BindException taken) {
                continue;
            }
        }
    }
}
