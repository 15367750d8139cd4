// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The release of HEAD, deployed into a directory, and the projects of {@code examples/} built by Maven from it: in an empty local
 * repository, with no other source for artifacts of this project. Takes minutes, and the network if Maven lacks a plugin.
 */
@Tag("soak")
class ReleaseTest extends ExamplePrograms {
    @RegisterExtension
    static final LoopbackExtension LOOPBACK = new LoopbackExtension();

    private static final Duration DEADLINE = Duration.ofMinutes(12);
    private static final String ON_MODULE_PATH = "key-value-store";
    private static final Set<String> LIBRARIES_OF_RXE = Set.of("agrona", "jackson-core", "softrdma-cm", "softrdma-device",
        "softrdma-host", "softrdma-link", "softrdma-linux", "softrdma-recording", "softrdma-rxe", "softrdma-verbs", "softrdma-wire");

    @TempDir
    static Path directory;

    @Override
    Path directory() {
        return directory;
    }

    @Override
    List<String> program(String project, String main) {
        Path target = target(project);
        Path jar = target.resolve(project + ".jar");
        return project.equals(ON_MODULE_PATH)
            ? List.of("--enable-native-access=org.softrdma.linux", "-p", jar + File.pathSeparator + target.resolve("lib"),
                "-m", "example.store/" + main)
            : List.of("-cp", jar.toString(), "--enable-native-access=ALL-UNNAMED", main);
    }

    private static Path target(String project) {
        return directory.resolve("clone/examples").resolve(project).resolve("target");
    }

    @BeforeAll
    static void deployAndBuildExamples() throws IOException {
        Path clone = directory.resolve("clone");
        run(directory, "clone", "git", "clone", "-q", KernelLab.root().toString(), clone.toString());
        String local = System.getProperty("localRepository", System.getProperty("user.home") + "/.m2/repository");
        run(clone, "deploy", "mvn", "-B", "-ntp", "-Dmaven.repo.local=" + local, "-Prelease", "-Dmaven.test.skip=true", "-Dcheckstyle.skip",
            "-pl", "!interop-tests,!benchmarks", "deploy", "-DaltDeploymentRepository=release::" + repository().toUri());
        // Third parties' libraries come from the local repository of this build first: no snapshots, hence no artifact of this project.
        Path settings = directory.resolve("settings.xml");
        Files.writeString(settings, """
            <settings>
              <localRepository>%s</localRepository>
              <profiles>
                <profile>
                  <id>release</id>
                  <repositories>
                    <repository>
                      <id>release</id><url>%s</url>
                      <releases><enabled>false</enabled></releases><snapshots><enabled>true</enabled></snapshots>
                    </repository>
                    <repository><id>known</id><url>%s</url><snapshots><enabled>false</enabled></snapshots></repository>
                  </repositories>
                  <pluginRepositories>
                    <pluginRepository><id>known</id><url>%<s</url><snapshots><enabled>false</enabled></snapshots></pluginRepository>
                  </pluginRepositories>
                </profile>
              </profiles>
              <activeProfiles><activeProfile>release</activeProfile></activeProfiles>
            </settings>
            """.formatted(directory.resolve("local"), repository().toUri(), Path.of(local).toUri()));
        run(clone.resolve("examples"), "examples", "mvn", "-B", "-ntp", "-s", settings.toString(), "package");
    }

    private static void run(Path where, String name, String... command) throws IOException {
        try (RunningCommand running = HostTool.startHere(where, directory.resolve(name + ".out"),
                Map.of("JAVA_HOME", System.getProperty("java.home")), List.of(command))) {
            running.awaitSuccess(DEADLINE);
        }
    }

    private static Path repository() {
        return directory.resolve("repository");
    }

    /** Artifacts of the bill of materials. */
    private static Set<String> published() throws IOException {
        return Pattern.compile("<artifactId>(softrdma-(?!bom)[a-z]+)</artifactId>")
            .matcher(Files.readString(KernelLab.root().resolve("bom/pom.xml"))).results()
            .map(result -> result.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Path> files(String artifact, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(repository().resolve("org/softrdma").resolve(artifact))) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    @Test
    void shouldPublishTheBillOfMaterialsAndNothingElse() throws IOException {
        Set<String> expected = new TreeSet<>(published());
        assertTrue(expected.size() > 20, expected.toString());
        expected.addAll(List.of("softrdma", "softrdma-bom"));
        try (Stream<Path> artifacts = Files.list(repository().resolve("org/softrdma"))) {
            assertEquals(expected, artifacts.map(each -> each.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    @Test
    void shouldPublishSourcesDocumentationAndComponents() throws IOException {
        for (String artifact : published()) {
            List<Path> jars = files(artifact, ".jar");
            assertEquals(3, jars.size(), jars.toString());
            for (Path jar : jars) {
                try (JarFile open = new JarFile(jar.toFile())) {
                    assertNotNull(open.getEntry("META-INF/LICENSE"), jar.toString());
                    assertNotNull(open.getEntry("META-INF/NOTICE"), jar.toString());
                }
            }
            String kinds = jars.toString();
            assertTrue(kinds.contains("-sources.jar") && kinds.contains("-javadoc.jar"), kinds);
            assertEquals(1, files(artifact, "-cyclonedx.json").size(), artifact);
        }
    }

    @Test
    void shouldDocumentAllModulesInOne() throws IOException {
        Set<String> documented = Files.readAllLines(directory.resolve("clone/distribution/target/apidocs/element-list")).stream()
            .filter(line -> line.startsWith("module:org.softrdma.")).map(line -> line.replace("module:org.softrdma.", "softrdma-"))
            .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(published(), documented);
    }

    /** An application on RoCE devices needs no library of tests or tools. */
    @Test
    void shouldBringNoFurtherLibraries() throws IOException {
        Pattern name = Pattern.compile("(.*?)-[0-9].*\\.jar");
        try (Stream<Path> files = Files.list(target("rc-by-hand").resolve("lib"))) {
            Set<String> libraries = files.flatMap(each -> name.matcher(each.getFileName().toString()).results())
                .map(result -> result.group(1)).collect(Collectors.toCollection(TreeSet::new));
            assertEquals(new TreeSet<>(LIBRARIES_OF_RXE), libraries);
        }
    }

    /** The launcher of the archive, through a link of {@code bin/}. */
    @Test
    void shouldRunToolsFromTheArchives() throws IOException {
        Path made = directory.resolve("clone/distribution/target");
        List<Path> archives = new ArrayList<>();
        try (Stream<Path> files = Files.list(made)) {
            files.filter(each -> each.toString().endsWith(".tar.gz")).forEach(archives::add);
        }
        assertEquals(1, archives.size(), archives.toString());
        Path unpacked = Files.createDirectories(directory.resolve("unpacked"));
        run(unpacked, "unpack", "tar", "-xzf", archives.getFirst().toString(), "--strip-components=1");
        try (RunningCommand tool = HostTool.startHere(unpacked, directory.resolve("devices.out"),
                Map.of(HostTool.STATE_DIRECTORY, unpacked.resolve("state").toString()), List.of("bin/ibv_devices"))) {
            assertTrue(tool.awaitSuccess(DEADLINE).contains("rxe0"), tool.output());
        }
        assertTrue(Files.isRegularFile(unpacked.resolve("share/man/man1/rping.1")));
        run(made, "checksums", "sha256sum", "-c", "--ignore-missing", "SHA256SUMS");
    }
}
