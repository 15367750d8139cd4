// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Keeps {@code docs/verbs-contract.md} true: no case is missing, and no test it names is gone. */
class ContractPageTest {
    private static final Pattern FILE = Pattern.compile("### (\\w+)\\.py");
    private static final Pattern CASE = Pattern.compile("\\| `(test_\\w+)` \\| (.+) \\|");
    private static final Pattern NAME = Pattern.compile("`(\\w+Contract)\\.(should\\w+)`");
    /** The connection manager's, whose classes are not seen from here: their sources are read. */
    private static final Pattern ELSEWHERE = Pattern.compile("`(\\w+Test)\\.(should\\w+)`");
    private static final Map<String, String> SOURCES = Map.of(
        "ConnectingTest", "connection-manager/src/test/java/org/softrdma/cm/ConnectingTest.java",
        "SynchronousTest", "connection-manager/src/test/java/org/softrdma/cm/SynchronousTest.java",
        "DatagramServiceTest", "connection-manager/src/test/java/org/softrdma/cm/DatagramServiceTest.java",
        "CmEndToEndTest", "rdma-tools/src/test/java/org/softrdma/tools/CmEndToEndTest.java");

    private static String page() throws IOException {
        return read("docs/verbs-contract.md");
    }

    private static String read(String file) throws IOException {
        return Files.readString(inTree(file));
    }

    private static Path inTree(String file) {
        return Path.of(System.getProperty("basedir", "."), "..", file);
    }

    private static boolean isTest(Method method) {
        return method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class);
    }

    @Test
    void shouldHaveOneRowForEveryCase() throws IOException {
        List<String> cases;
        try (InputStream in = ContractPageTest.class.getResourceAsStream("rdma-core-cases.txt")) {
            cases = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#")).toList();
        }
        assertEquals(171, cases.size());
        List<String> rows = new ArrayList<>();
        String file = "";
        for (String line : page().lines().toList()) {
            Matcher heading = FILE.matcher(line);
            Matcher row = CASE.matcher(line);
            if (heading.matches()) {
                file = heading.group(1);
            } else if (row.matches()) {
                assertFalse(row.group(2).isBlank(), line);
                rows.add(file + "." + row.group(1));
            }
        }
        assertEquals(String.join("\n", cases), String.join("\n", rows));
    }

    @Test
    void shouldNameOnlyTestsThatExist() throws IOException {
        Matcher name = NAME.matcher(page());
        int checked = 0;
        while (name.find()) {
            String topic = name.group(1);
            Class<?> type = AllContracts.TOPICS.stream().filter(each -> each.getSimpleName().equals(topic)).findFirst()
                .orElseThrow(() -> new AssertionError("no topic " + topic));
            assertTrue(Arrays.stream(type.getDeclaredMethods()).anyMatch(each -> each.getName().equals(name.group(2)) && isTest(each)),
                "docs/verbs-contract.md names " + name.group() + ", which does not exist");
            checked++;
        }
        assertTrue(checked > 100, "the page names many tests, and only " + checked + " were found");
    }

    @Test
    void shouldNameOnlyTestsOfTheConnectionManagerThatExist() throws IOException {
        Matcher name = ELSEWHERE.matcher(page());
        int checked = 0;
        while (name.find()) {
            String file = SOURCES.get(name.group(1));
            assertNotNull(file, "where is " + name.group(1) + "?");
            assertTrue(read(file).contains("void " + name.group(2) + "("),
                "docs/verbs-contract.md names " + name.group() + ", which does not exist");
            checked++;
        }
        assertTrue(checked >= 10, "each of the ten cases names one, and only " + checked + " were found");
    }

    @Test
    void shouldRunEveryTopic() throws IOException {
        try (Stream<Path> sources = Files.list(inTree("verbs-contract/src/main/java/org/softrdma/contract"))) {
            Set<String> topics = sources.map(file -> file.getFileName().toString()).filter(name -> name.endsWith("Contract.java"))
                .map(name -> name.replace(".java", "")).collect(Collectors.toSet());
            assertEquals(topics, AllContracts.TOPICS.stream().map(Class::getSimpleName).collect(Collectors.toSet()));
            assertEquals(topics.size(), AllContracts.TOPICS.size());
        }
    }

    /** A test without its annotation would never run. */
    @Test
    void shouldMarkEveryTest() {
        for (Class<?> topic : AllContracts.TOPICS) {
            assertTrue(Modifier.isAbstract(topic.getModifiers()) && Modifier.isPublic(topic.getModifiers()), topic + " is for providers");
            assertTrue(Arrays.stream(topic.getDeclaredMethods()).anyMatch(ContractPageTest::isTest), topic + " has tests");
            for (Method method : topic.getDeclaredMethods()) {
                boolean looksLikeOne = method.getName().startsWith("should") && !Modifier.isPrivate(method.getModifiers());
                assertEquals(looksLikeOne, isTest(method), method.toString());
            }
        }
    }
}
