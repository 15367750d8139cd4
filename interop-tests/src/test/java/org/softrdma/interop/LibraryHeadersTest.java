// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.libibverbs.layout.Field;

/**
 * Every size, offset and width of {@code libibverbs-java} is that of the installed {@code infiniband/verbs.h} and
 * {@code rdma/rdma_cma.h}.
 */
@ExtendWith(CHeadersExtension.class)
class LibraryHeadersTest {
    private static final List<String> HEADERS = List.of("stddef.h", "stdio.h", "infiniband/verbs.h", "rdma/rdma_cma.h");
    private static final String PACKAGE = "org.softrdma.libibverbs.layout.";

    @TempDir
    private Path directory;

    /** One number of ours and the C expression that must have the same value. */
    private record Row(String what, long value, String expression) {
    }

    @Test
    void shouldHaveTheSizesAndFieldsOfTheHeaders() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (String line : structures()) {
            String[] words = line.split(" ");
            Map<String, String> renamed = new HashMap<>();
            for (int i = 2; i < words.length; i++) {
                renamed.put(words[i].split("=")[0], words[i].split("=")[1]);
            }
            addRows(rows, words[0], words[1], renamed);
        }
        assertTrue(rows.size() > 250, "only " + rows.size() + " rows");
        List<Long> values = CHeaders.evaluate(directory, HEADERS, rows.stream().map(Row::expression).toList());
        List<String> different = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).value() != values.get(i)) {
                different.add(rows.get(i).what() + ": " + rows.get(i).value() + ", C: " + values.get(i));
            }
        }
        assertEquals(List.of(), different);
    }

    private static void addRows(List<Row> rows, String layout, String structure, Map<String, String> renamed) throws Exception {
        Class<?> type = Class.forName(PACKAGE + layout);
        rows.add(new Row(layout, type.getField("BYTES").getInt(null), "sizeof(struct " + structure + ")"));
        for (java.lang.reflect.Field constant : type.getFields()) {
            if (Modifier.isStatic(constant.getModifiers()) && constant.get(null) instanceof Field field) {
                String name = constant.getName().toLowerCase(Locale.ROOT);
                String member = renamed.getOrDefault(name, name);
                rows.add(new Row(layout + "." + name, field.offset(), "offsetof(struct " + structure + ", " + member + ")"));
                if (field.bytes() > 0) {
                    rows.add(new Row("width of " + layout + "." + name, field.bytes(),
                        "sizeof(((struct " + structure + " *) 0)->" + member + ")"));
                }
            }
        }
    }

    @Test
    void shouldCompareEveryStructure() throws IOException {
        Path sources = KernelLab.root().resolve("libibverbs-java/src/main/java/org/softrdma/libibverbs/layout");
        try (Stream<Path> files = Files.list(sources)) {
            Set<String> there = files.map(file -> file.getFileName().toString().replace(".java", ""))
                .filter(name -> name.startsWith("Ibv") || name.startsWith("Rdma")).collect(Collectors.toCollection(TreeSet::new));
            assertEquals(there, structures().stream().map(line -> line.split(" ")[0]).collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    /** Rows of the table; a row that begins with blanks continues the row before. */
    private static List<String> structures() throws IOException {
        try (InputStream in = LibraryHeadersTest.class.getResourceAsStream("libibverbs-structs.txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.replaceAll("\n +", " ").lines().filter(line -> !line.startsWith("#") && !line.isBlank()).toList();
        }
    }
}
