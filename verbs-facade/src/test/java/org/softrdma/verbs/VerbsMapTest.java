// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keeps {@code docs/verbs-map.md} true: no call is missing, nothing it names is gone. */
class VerbsMapTest {
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*)(?:\\.([a-z]\\w*))?`");
    private static final Pattern C_CALL = Pattern.compile("`((?:ibv_|rdma_|mult_to|mbps_to)\\w+)`");

    /** One line of a table. */
    private record Row(String c, String java) {
    }

    private static String page() throws IOException {
        return Files.readString(Path.of(System.getProperty("basedir", "."), "..", "docs", "verbs-map.md"));
    }

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        page().lines().filter(line -> line.startsWith("| `")).forEach(line -> {
            String[] cells = line.split("\\|", -1);
            assertEquals(5, cells.length, "three columns: " + line);
            rows.add(new Row(cells[1].trim(), cells[2].trim()));
        });
        return rows;
    }

    private static Class<?> type(String name) {
        for (String each : List.of("org.softrdma.verbs.", "org.softrdma.verbs.cm.")) {
            try {
                return Class.forName(each + name);
            } catch (ClassNotFoundException e) {
                // Perhaps in the next one.
            }
        }
        throw new AssertionError("docs/verbs-map.md names class " + name + ", which does not exist");
    }

    @Test
    void shouldHaveOneRowForEveryCallOfTheCApi() throws IOException {
        List<String> calls;
        try (InputStream in = VerbsMapTest.class.getResourceAsStream("c-calls.txt")) {
            calls = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#")).sorted().toList();
        }
        List<String> mapped = new ArrayList<>();
        for (Row row : rows()) {
            Matcher call = C_CALL.matcher(row.c);
            if (!row.c.contains("struct ") && call.matches()) {
                mapped.add(call.group(1));
            }
        }
        mapped.sort(null);
        assertEquals(String.join("\n", calls), String.join("\n", mapped));
    }

    @Test
    void shouldNameACounterpartOrSayWhyThereIsNone() throws IOException {
        for (Row row : rows()) {
            boolean named = NAME.matcher(row.java).find();
            boolean refused = row.java.startsWith("not planned: ") && row.java.length() > "not planned: ".length();
            assertTrue(named || refused, row.toString());
        }
    }

    @Test
    void shouldNameOnlyMethodsThatExist() throws IOException {
        Matcher name = NAME.matcher(page());
        int checked = 0;
        while (name.find()) {
            String method = name.group(2);
            if (method != null) {
                Class<?> type = type(name.group(1));
                assertTrue(Arrays.stream(type.getMethods()).anyMatch(each -> each.getName().equals(method)),
                    "docs/verbs-map.md names " + name.group() + ", which does not exist");
                checked++;
            }
        }
        assertTrue(checked > 80, "the page names many methods, and only " + checked + " were found");
    }

    @Test
    void shouldNameOnlyClassesThatExist() throws IOException {
        for (Row row : rows()) {
            Matcher name = NAME.matcher(row.java);
            while (!row.java.startsWith("not planned") && name.find()) {
                type(name.group(1));
            }
        }
    }
}
