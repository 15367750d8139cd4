// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.interop.CHeaders.Row;
import org.softrdma.interop.CHeaders.Structure;
import org.softrdma.libibverbs.layout.Field;

/**
 * Every size, offset, width and number of {@code libibverbs-java} is that of the installed {@code infiniband/verbs.h} and
 * {@code rdma/rdma_cma.h}.
 */
@ExtendWith(CHeadersExtension.class)
class LibraryHeadersTest {
    static final List<String> HEADERS = List.of("stddef.h", "stdio.h", "infiniband/verbs.h", "rdma/rdma_cma.h");
    private static final String TABLE = "libibverbs-structs.txt";
    private static final String VALUES = "libibverbs-values.txt";
    private static final String PACKAGE = "org.softrdma.libibverbs.layout.";

    @TempDir
    private Path directory;

    @Test
    void shouldHaveTheSizesAndFieldsOfTheHeaders() throws Exception {
        CHeaders.compare(directory, CHeaders.SYSTEM, HEADERS, rows());
    }

    /** Returns the sizes, offsets and widths of all structures. */
    static List<Row> rows() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (Structure structure : CHeaders.structures(TABLE)) {
            Class<?> layout = Class.forName(PACKAGE + structure.layout());
            rows.add(structure.size(layout.getField("BYTES").getInt(null)));
            for (java.lang.reflect.Field constant : layout.getFields()) {
                if (Modifier.isStatic(constant.getModifiers()) && constant.get(null) instanceof Field field) {
                    structure.addField(rows, constant.getName().toLowerCase(Locale.ROOT), field.offset(), field.bytes());
                }
            }
        }
        assertTrue(rows.size() > 250, "only " + rows.size() + " rows");
        return rows;
    }

    @Test
    void shouldHaveTheNumbersOfTheHeaders() throws Exception {
        List<Row> rows = new ArrayList<>();
        Set<String> listed = new TreeSet<>();
        for (String line : CHeaders.lines(VALUES)) {
            String[] words = line.split(" ");
            String constant = words[0] + "." + words[1];
            listed.add(constant);
            rows.add(new Row(constant + " as " + words[2], Class.forName(PACKAGE + words[0]).getField(words[1]).getInt(null), words[2]));
        }
        CHeaders.compare(directory, CHeaders.SYSTEM, HEADERS, rows);
        Set<String> there = new TreeSet<>();
        for (Structure structure : CHeaders.structures(TABLE)) {
            for (java.lang.reflect.Field constant : Class.forName(PACKAGE + structure.layout()).getFields()) {
                if (constant.getType() == int.class && !constant.getName().matches("(.*_)?BYTES|.*_OFFSET")) {
                    there.add(structure.layout() + "." + constant.getName());
                }
            }
        }
        assertEquals(there, listed);
    }

    @Test
    void shouldCompareEveryStructure() throws IOException {
        Path sources = KernelLab.root().resolve("libibverbs-java/src/main/java/org/softrdma/libibverbs/layout");
        try (Stream<Path> files = Files.list(sources)) {
            Set<String> there = files.map(file -> file.getFileName().toString().replace(".java", ""))
                .filter(name -> name.matches("(Ibv|Rdma|Verbs).*")).collect(Collectors.toCollection(TreeSet::new));
            assertEquals(there, CHeaders.structures(TABLE).stream().map(Structure::layout).collect(Collectors.toCollection(TreeSet::new)));
        }
    }
}
