// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The launcher's choice of AOT cache and compilers, in a packaged tree: the script beside its jar. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
    @RegisterExtension
    static final LoopbackExtension LOOPBACK = new LoopbackExtension();

    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final long LOOK_AGAIN_MS = 50;
    private static final String DATA_CACHE = "softrdma-data-";
    /** A ping-pong that ends before it needs a peer: there is no GID at that index. */
    private static final String PING_PONG = "ibv_rc_pingpong -g 77";

    @TempDir
    Path tree;
    private Path home = Path.of(System.getProperty("java.home"));

    @BeforeEach
    void unpack() throws IOException {
        Files.copy(KernelLab.root().resolve("softrdma"), tree.resolve("softrdma"));
        Files.copy(KernelLab.root().resolve("rdma-tools/target/softrdma.jar"), tree.resolve("softrdma.jar"));
    }

    /** No tool waits for a cache: the first one starts without. */
    @Test
    void shouldMakeCachesInTheBackground() throws Exception {
        assertEquals("", cacheOf("ibv_devices"));
        awaitCache(each -> !each.startsWith(DATA_CACHE));
        assertTrue(cacheOf("ibv_devices").startsWith(tree.resolve("softrdma-").toString()));
        assertTrue(caches().stream().noneMatch(each -> each.startsWith(DATA_CACHE)), "made by a tool that moves no data");

        cacheOf(PING_PONG);
        awaitCache(each -> each.startsWith(DATA_CACHE));
        assertTrue(cacheOf(PING_PONG).startsWith(tree.resolve(DATA_CACHE).toString()));
        assertTrue(!cacheOf("ibv_devices").contains(DATA_CACHE), "a tool that moves no data starts with the larger cache");
    }

    private void awaitCache(Predicate<String> wanted) throws Exception {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (caches().stream().noneMatch(each -> wanted.test(each) && each.endsWith(".aot"))) {
            assertTrue(System.nanoTime() - deadline < 0, "the cache is missing; there are " + caches());
            Thread.sleep(LOOK_AGAIN_MS);
        }
    }

    /** Its training is killed here; in a network namespace whose loopback interface is down it fails as well. */
    @Test
    void shouldTryAgainWhenTheCacheOfTheDataPathCouldNotBeMade() throws Exception {
        Path java = Path.of(System.getProperty("java.home"));
        Path jdk = tree.resolve("jdk");
        Path attempts = Files.createDirectory(tree.resolve("attempts"));
        Path script = Files.createDirectories(jdk.resolve("bin")).resolve("java");
        Files.copy(java.resolve("release"), jdk.resolve("release"));
        Files.writeString(script, """
            #!/bin/sh
            case "$*" in *AOTCacheOutput*/%s*) : > %s/$$; kill -KILL $$ ;; esac
            exec %s "$@"
            """.formatted(DATA_CACHE, attempts, java.resolve("bin/java")));
        assertTrue(script.toFile().setExecutable(true));
        home = jdk;

        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (attempts.toFile().list().length < 2) {
            assertTrue(System.nanoTime() - deadline < 0, "no second attempt");
            cacheOf(PING_PONG);
        }
    }

    @Test
    void shouldOptimizeRunsThatLast() throws Exception {
        assertEquals("1", levelOf(PING_PONG));
        assertEquals("1", levelOf(PING_PONG + " -n 99999"));
        assertEquals("4", levelOf(PING_PONG + " -n 100000"));
        assertEquals("4", levelOf(PING_PONG + " --iters=100000"));
        assertEquals("4", levelOf("ib_write_bw -D 10 -d none"));
        assertEquals("4", levelOf("daemon status"));
        assertEquals("1", levelOf("rdma link"));
        assertEquals("1", levelOf("run --idle 5 --help"));
        assertEquals("4", levelOf("run --idle 5 --private --help"));
    }

    /** A program's start waits for all that run loads; options as a rule are read by picocli, which takes longer than starting the JVM. */
    @Test
    void shouldStartProgramsWithoutALibraryOfOptions() throws Exception {
        String parser = "picocli.CommandLine ";
        String log = "-Xlog:class+load";

        assertTrue(output("nfsd --help", log, "1").contains(parser), "this test looks for the wrong class");
        assertTrue(!output("run --help", log, "1").contains(parser), "run loads picocli");
        assertTrue(!output("daemon --help", log, "1").contains(parser), "the daemon, for which the first run waits, loads picocli");
    }

    private List<String> caches() throws IOException {
        try (Stream<Path> files = Files.list(tree)) {
            return files.map(each -> each.getFileName().toString()).filter(each -> each.contains(".aot")).toList();
        }
    }

    private String cacheOf(String line) throws IOException, InterruptedException {
        return flag(line, "AOTCache", "");
    }

    private String levelOf(String line) throws IOException, InterruptedException {
        return flag(line, "TieredStopAtLevel", "1");
    }

    /** Runs a tool, whatever becomes of it, and returns the value of a flag of its JVM. */
    private String flag(String line, String name, String noAot) throws IOException, InterruptedException {
        String output = output(line, "-XX:+PrintFlagsFinal", noAot);
        Matcher found = Pattern.compile("(?m)^ +\\S+ " + name + " += *([^{]*?) *\\{").matcher(output);
        assertTrue(found.find(), () -> line + " printed no flag " + name + ":\n" + output);
        return found.group(1);
    }

    private String output(String line, String options, String noAot) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(tree.resolve("softrdma").toString()));
        command.addAll(Arrays.asList(line.split(" ")));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SOFTRDMA_JAVA_OPTS", options);
        builder.environment().put("SOFTRDMA_NO_AOT", noAot);
        builder.environment().put("JAVA_HOME", home.toString());
        Process process = builder.start();
        // Ends with the tool: what runs in the background must not hold its output.
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
