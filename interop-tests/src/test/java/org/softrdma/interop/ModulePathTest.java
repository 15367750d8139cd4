// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.host.config.NetDevice;

/**
 * Applications on the module path and on the class path: {@code resources/application} is compiled and run on both, against the jars or
 * class directories of this build.
 */
@Timeout(120)
class ModulePathTest {
    @RegisterExtension
    static final LoopbackExtension LOOPBACK = new LoopbackExtension();

    private static final String JAVA_HOME = System.getProperty("java.home");
    static final String CLASS_PATH = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    /** Everything an application can name; all other packages are exported to modules of this project only, or not at all. */
    private static final Map<String, String> PUBLIC_PACKAGES = new TreeMap<>(Map.ofEntries(
        Map.entry("org.softrdma.verbs", "org.softrdma.verbs org.softrdma.verbs.cm org.softrdma.verbs.reason"),
        Map.entry("org.softrdma.wire", "org.softrdma.wire org.softrdma.wire.cm org.softrdma.wire.ib org.softrdma.wire.ipoib"
            + " org.softrdma.wire.iwarp org.softrdma.wire.mad org.softrdma.wire.net org.softrdma.wire.pcap org.softrdma.wire.roce"),
        Map.entry("org.softrdma.abi", ""),
        Map.entry("org.softrdma.recording", "org.softrdma.recording"),
        Map.entry("org.softrdma.daemon", ""),
        Map.entry("org.softrdma.host", ""),
        Map.entry("org.softrdma.linux", ""),
        Map.entry("org.softrdma.libibverbs", ""),
        Map.entry("org.softrdma.device", "org.softrdma.device.findings org.softrdma.device.threads"),
        Map.entry("org.softrdma.cm", ""),
        Map.entry("org.softrdma.link", "org.softrdma.link.fault org.softrdma.link.sim"),
        Map.entry("org.softrdma.rxe", "org.softrdma.rxe org.softrdma.rxe.config"),
        Map.entry("org.softrdma.siw", "org.softrdma.siw org.softrdma.siw.config"),
        Map.entry("org.softrdma.fabric", ""),
        Map.entry("org.softrdma.rsocket", "org.softrdma.rsocket org.softrdma.rsocket.stream"),
        Map.entry("org.softrdma.rpcrdma", "org.softrdma.rpcrdma"),
        Map.entry("org.softrdma.storage", "org.softrdma.storage org.softrdma.storage.nvme org.softrdma.storage.nvme.host"
            + " org.softrdma.storage.nvme.store"),
        Map.entry("org.softrdma.simulator", ""),
        Map.entry("org.softrdma.testing", "org.softrdma.testing"),
        Map.entry("org.softrdma.junit", "org.softrdma.junit"),
        Map.entry("org.softrdma.lab", ""),
        Map.entry("org.softrdma.tools", "")));

    @TempDir
    Path directory;

    @Test
    void shouldRunOnTheModulePath() throws IOException, InterruptedException, URISyntaxException {
        Path classes = directory.resolve("classes");
        assertEquals("", javac("-Xlint:all,-requires-automatic", "-Werror", "-p", modulePath(), "-d", classes.toString(),
            application("module-info.java"), application("example/OneWrite.java")));
        check("module path", java("--enable-native-access=org.softrdma.linux,org.softrdma.libibverbs", "-p",
            modulePath() + File.pathSeparator + classes, "-m", "example/example.OneWrite", loopback()));
    }

    @Test
    void shouldRunOnTheClassPath() throws IOException, InterruptedException, URISyntaxException {
        Path classes = directory.resolve("classes");
        assertEquals("", javac("-Xlint:all,-path,-classfile", "-Werror", "-proc:none", "-cp", CLASS_PATH, "-d", classes.toString(),
            application("example/OneWrite.java")));
        check("class path", java("--enable-native-access=ALL-UNNAMED", "-cp", CLASS_PATH + File.pathSeparator + classes, "example.OneWrite",
            loopback()));
    }

    @Test
    void shouldHideInternals() throws IOException, InterruptedException {
        Map<String, String> shown = new TreeMap<>();
        for (ModuleReference module : modules()) {
            shown.put(module.descriptor().name(), module.descriptor().exports().stream().filter(each -> !each.isQualified())
                .map(ModuleDescriptor.Exports::source).sorted().collect(Collectors.joining(" ")));
        }
        assertEquals(PUBLIC_PACKAGES, shown);

        Path source = directory.resolve("internals");
        Files.createDirectories(source);
        Files.writeString(source.resolve("module-info.java"),
            "module internals { requires org.softrdma.rxe; requires org.softrdma.cm; }");
        Files.writeString(source.resolve("Internals.java"),
            "package internals; class Internals { org.softrdma.cm.SoftConnectionManagerProvider provider; }");
        String errors = javac("-p", modulePath(), "-d", directory.resolve("classes").toString(),
            source.resolve("module-info.java").toString(), source.resolve("Internals.java").toString());
        assertTrue(errors.contains("package org.softrdma.cm is not visible"), errors);
    }

    /** A provider in one of the two lists only would be missing on the other path. */
    @Test
    void shouldDeclareTheSameProvidersOnBothPaths() throws IOException {
        int services = 0;
        for (ModuleReference module : modules()) {
            Map<String, List<String>> declared = new TreeMap<>();
            module.descriptor().provides().forEach(each -> declared.put(each.service(), each.providers()));
            Map<String, List<String>> listed = new TreeMap<>();
            try (ModuleReader reader = module.open()) {
                for (String name : reader.list().filter(each -> each.startsWith("META-INF/services/") && !each.endsWith("/")).toList()) {
                    try (InputStream in = reader.open(name).orElseThrow()) {
                        listed.put(name.substring("META-INF/services/".length()), new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList());
                    }
                }
            }
            assertEquals(listed, declared, module.descriptor().name());
            services += declared.size();
        }
        assertTrue(services == 12, "found " + services);
    }

    private static void check(String kind, String output) {
        List<String> lines = output.lines().toList();
        assertTrue(lines.contains("application: " + kind), output);
        assertTrue(lines.contains("device: INFINIBAND on " + loopback()), output);
        assertTrue(lines.contains("device: IWARP on " + loopback()), output);
        assertTrue(lines.contains("connection manager: true"), output);
        assertTrue(lines.contains("iwarp: IWARP"), output);
        assertTrue(lines.contains("streams: RSocketChannel, psn true"), output);
        assertTrue(lines.contains("write: SUCCESS, equal: true"), output);
        assertTrue(!output.contains("WARNING"), output);
    }

    private static String loopback() {
        return NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
    }

    /** The entries of the class path that are modules of this project or libraries of theirs. */
    static String modulePath() {
        return Arrays.stream(CLASS_PATH.split(File.pathSeparator)).filter(ModulePathTest::isModule).map(Path::of).map(Path::toAbsolutePath)
            .map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isModule(String entry) {
        if (!Files.exists(Path.of(entry))) {
            return false;
        }
        return ModuleFinder.of(Path.of(entry)).findAll().stream().map(each -> each.descriptor().name())
            .anyMatch(name -> name.startsWith("org.softrdma.") || name.equals("org.agrona") || name.startsWith("io.netty.")
                || name.equals("info.picocli") || name.equals("com.fasterxml.jackson.core"));
    }

    /** The modules of this project on the class path. */
    static List<ModuleReference> modules() {
        return ModuleFinder.of(Arrays.stream(modulePath().split(File.pathSeparator)).map(Path::of).toArray(Path[]::new)).findAll().stream()
            .filter(each -> each.descriptor().name().startsWith("org.softrdma.")).toList();
    }

    private static String application(String file) throws URISyntaxException {
        return Path.of(ModulePathTest.class.getResource("/application").toURI()).resolve(file).toString();
    }

    private String javac(String... arguments) throws IOException, InterruptedException {
        return run("javac", arguments);
    }

    private String java(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        all.addAll(List.of(arguments));
        return run("java", all.toArray(String[]::new));
    }

    /** Runs a tool of the JDK, without any configuration of this machine. */
    private String run(String tool, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(JAVA_HOME, "bin", tool).toString()));
        command.addAll(List.of(arguments));
        Path output = directory.resolve(tool + ".out");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("SOFTRDMA_STATE_DIR", directory.resolve("state").toString());
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), tool + " takes more than a minute");
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output);
    }
}
