// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The Java code in README.md and docs/: each block is in a source that is compiled, in {@code examples/} ({@link ExamplesTest}) or among
 * the tests' programs. A line with dots alone stands for anything.
 */
class SnippetTest {
    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Path ROOT = KernelLab.root();

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("examples/README.md")));
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        return pages;
    }

    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        for (String tree : List.of("examples", "rxe-java/src/test/java/org/softrdma/rxe/examples")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(tree))) {
                for (Path each : files.filter(file -> file.toString().endsWith(".java")).toList()) {
                    sources.add(plain(Files.readString(each)));
                }
            }
        }
        return sources;
    }

    /** Text without indentation. */
    private static String plain(String text) {
        return String.join("\n", text.lines().map(String::strip).toList());
    }

    @Test
    void shouldCompileWhatThePagesShow() throws IOException {
        List<String> sources = sources();
        List<String> unknown = new ArrayList<>();
        int blocks = 0;
        for (Path page : pages()) {
            Matcher block = BLOCK.matcher(Files.readString(page));
            while (block.find()) {
                blocks++;
                List<String> parts = Stream.of(plain(block.group(1)).split("(^|\\n)…(\\n|$)")).map(String::strip).toList();
                if (sources.stream().noneMatch(source -> contains(source, parts))) {
                    unknown.add(ROOT.relativize(page) + ":\n" + block.group(1));
                }
            }
        }
        assertEquals(List.of(), unknown, "these are in no source that is compiled");
        assertTrue(blocks >= 7, "only " + blocks + " blocks");
    }

    /** Whether a source has the parts, in this order. */
    private static boolean contains(String source, List<String> parts) {
        int from = 0;
        for (String part : parts) {
            int at = source.indexOf(part, from);
            if (at < 0) {
                return false;
            }
            from = at + part.length();
        }
        return true;
    }
}
