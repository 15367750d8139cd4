// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * The projects of {@code examples/}, compiled against this build: on the class path, and the key-value store on the module path.
 */
class ExamplesTest extends ExamplePrograms {
    @RegisterExtension
    static final LoopbackExtension LOOPBACK = new LoopbackExtension();

    private static final int MAX_LINES = 150;
    private static final Path EXAMPLES = KernelLab.root().resolve("examples");
    private static final String ON_MODULE_PATH = "key-value-store";

    @TempDir
    static Path directory;

    @Override
    Path directory() {
        return directory;
    }

    @Override
    List<String> program(String project, String main) {
        String classes = classes(project).toString();
        return project.equals(ON_MODULE_PATH)
            ? List.of("-p", ModulePathTest.modulePath() + File.pathSeparator + classes, "--add-modules", "org.softrdma.rxe",
                "--enable-native-access=org.softrdma.linux", "-m", "example.store/" + main)
            : List.of("-cp", ModulePathTest.CLASS_PATH + File.pathSeparator + classes, "--enable-native-access=ALL-UNNAMED", main);
    }

    private Path classes(String project) {
        return directory.resolve("classes").resolve(project);
    }

    private static List<Path> projects() throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            return files.filter(file -> Files.exists(file.resolve("pom.xml"))).sorted().toList();
        }
    }

    private static List<Path> sources(Path tree) {
        try (Stream<Path> files = Files.walk(tree.resolve("src"))) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @BeforeAll
    void compile() throws IOException {
        for (Path each : projects()) {
            String project = each.getFileName().toString();
            List<String> arguments = new ArrayList<>(List.of("-Xlint:all,-path,-classfile,-requires-automatic", "-Werror", "-proc:none",
                "-d", classes(project).toString()));
            arguments.addAll(project.equals(ON_MODULE_PATH) ? List.of("-p", ModulePathTest.modulePath())
                : List.of("-cp", ModulePathTest.CLASS_PATH));
            sources(each).forEach(source -> arguments.add(source.toString()));
            StringWriter messages = new StringWriter();
            int status = ToolProvider.findFirst("javac").orElseThrow()
                .run(new PrintWriter(messages), new PrintWriter(messages), arguments.toArray(String[]::new));
            assertEquals(0, status, project + ": " + messages);
        }
    }

    @Test
    void shouldBeListedInBothPlaces() throws IOException {
        String all = Files.readString(EXAMPLES.resolve("pom.xml"));
        String page = Files.readString(EXAMPLES.resolve("README.md"));
        List<Path> projects = projects();
        assertTrue(projects.size() >= 7, projects.toString());
        for (Path each : projects) {
            String project = each.getFileName().toString();
            assertTrue(all.contains("<module>" + project + "</module>"), project);
            assertTrue(page.contains("(" + project + "/"), project);
        }
    }

    @Test
    void shouldNameTheVersionOfThisProject() throws IOException {
        String version = textOf(KernelLab.root().resolve("bom/pom.xml"), "version");
        for (Path each : projects()) {
            assertEquals(version, textOf(each.resolve("pom.xml"), "softrdma.version"), each.toString());
        }
    }

    private static String textOf(Path pom, String element) throws IOException {
        String text = Files.readString(pom);
        return text.substring(text.indexOf("<" + element + ">") + element.length() + 2, text.indexOf("</" + element + ">"));
    }

    @Test
    void shouldFitOnAFewPages() throws IOException {
        for (Path each : projects()) {
            for (Path source : sources(each)) {
                int lines = Files.readAllLines(source).size();
                assertTrue(lines < MAX_LINES, source + " has " + lines + " lines");
            }
        }
    }

    @Test
    void shouldTestOnASimulatedNetwork() throws IOException {
        URL[] classes = {classes("junit").toUri().toURL()};
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(classes, before)) {
            Thread.currentThread().setContextClassLoader(loader);
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(loader, "example.LossyNetworkTest"))
                .filters(EngineFilter.includeEngines("junit-jupiter")).build(), listener);
            TestExecutionSummary summary = listener.getSummary();
            assertEquals(List.of(), summary.getFailures().stream().map(TestExecutionSummary.Failure::getException).toList());
            // One on each of twenty seeds, and two more.
            assertEquals(22, summary.getTestsSucceededCount());
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
