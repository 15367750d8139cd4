// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.abi.rings.RxeQueueHeader;
import org.softrdma.interop.CHeaders.Row;
import org.softrdma.interop.CHeaders.Structure;

/** Every size, offset, field width and number of {@code kernel-abi} is that of the headers of Linux and rdma-core. */
@ExtendWith(CHeadersExtension.class)
class KernelHeadersTest {
    private static final String PACKAGE = "org.softrdma.abi.";
    private static final String OFFSET = "_OFFSET";
    /** Flyweights of structures that Debian 12's headers do not have; their comments name the source. */
    private static final Set<String> WITHOUT_HEADER = Set.of("rings.RxeFlushRequest", "ucm.UcmWriteEvent");
    private static final int AT = 64;

    @TempDir
    private Path directory;

    @Test
    void shouldHaveTheSizesAndFieldsOfTheHeaders() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (Structure structure : CHeaders.structures("kernel-structs.txt")) {
            Class<?> flyweight = Class.forName(PACKAGE + structure.layout());
            rows.add(structure.size(flyweight.getField("BYTES").getInt(null)));
            for (Field constant : constants(flyweight)) {
                if (constant.getName().endsWith(OFFSET) && !constant.getName().equals("DATA" + OFFSET)) {
                    addField(rows, structure, flyweight, constant);
                }
            }
        }
        rows.add(new Row("RxeQueueHeader.DATA_OFFSET", RxeQueueHeader.DATA_OFFSET, "offsetof(struct rxe_queue_buf, data)"));
        assertTrue(rows.size() > 1000, "only " + rows.size() + " rows");
        CHeaders.compare(directory, rows);
    }

    private static void addField(List<Row> rows, Structure structure, Class<?> flyweight, Field constant) throws IllegalAccessException {
        String field = constant.getName().substring(0, constant.getName().length() - OFFSET.length()).toLowerCase(Locale.ROOT);
        structure.addField(rows, field, constant.getInt(null), width(flyweight, field, constant.getInt(null)));
    }

    @Test
    void shouldHaveTheNumbersOfTheHeaders() throws Exception {
        Map<String, Map<String, String>> expressions = new HashMap<>();
        for (String line : CHeaders.lines("kernel-values.txt")) {
            String[] words = line.split(" ", 3);
            expressions.computeIfAbsent(words[0], _ -> new HashMap<>()).put(words[1], words[2]);
        }
        List<Row> rows = new ArrayList<>();
        for (var each : expressions.entrySet()) {
            for (Field constant : constants(Class.forName(PACKAGE + each.getKey()))) {
                String expression = expression(each.getValue(), constant.getName());
                if (expression != null && !expression.startsWith("-")) {
                    rows.add(new Row(each.getKey() + "." + constant.getName(), constant.getInt(null), expression));
                }
            }
        }
        assertTrue(rows.size() > 250, "only " + rows.size() + " rows");
        CHeaders.compare(directory, rows);
    }

    /** Explicit rows come before the row of a prefix; offsets and sizes of flyweights belong to the other table. */
    private static String expression(Map<String, String> rows, String constant) {
        if (rows.containsKey(constant)) {
            return rows.get(constant);
        }
        boolean layout = constant.endsWith(OFFSET) || constant.equals("BYTES");
        return layout || !rows.containsKey("*") ? null : rows.get("*") + constant;
    }

    @Test
    void shouldCompareEveryConstant() throws Exception {
        Set<String> structures = new TreeSet<>(WITHOUT_HEADER);
        for (Structure each : CHeaders.structures("kernel-structs.txt")) {
            structures.add(each.layout());
        }
        Map<String, Map<String, String>> values = new HashMap<>();
        for (String line : CHeaders.lines("kernel-values.txt")) {
            String[] words = line.split(" ", 3);
            values.computeIfAbsent(words[0], _ -> new HashMap<>()).put(words[1], words[2]);
        }
        Set<String> forgotten = new TreeSet<>();
        for (String name : classes()) {
            for (Field constant : constants(Class.forName(PACKAGE + name))) {
                boolean layout = constant.getName().endsWith(OFFSET) || constant.getName().equals("BYTES");
                if (!(layout && structures.contains(name)) && expression(values.getOrDefault(name, Map.of()), constant.getName()) == null) {
                    forgotten.add(name + "." + constant.getName());
                }
            }
        }
        assertEquals(Set.of(), forgotten);
    }

    /**
     * Width of a field: the bytes that its setter changes.
     *
     * @return bytes, or 0 for a field without accessors
     */
    private static int width(Class<?> flyweight, String field, int offset) {
        String name = camel(field);
        Method setter = Stream.of(flyweight.getMethods()).filter(each -> each.getName().equals(name) && each.getParameterCount() == 3)
            .findFirst().orElse(null);
        if (setter == null) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1024, 8);
            Object ones = setter.getParameterTypes()[2] == long.class ? (Object) (-1L) : (Object) (-1);
            setter.invoke(null, memory, (long) AT, ones);
            int width = 0;
            while (memory.get(ValueLayout.JAVA_BYTE, AT + offset + width) != 0) {
                width++;
            }
            return width;
        } catch (ReflectiveOperationException broken) {
            throw new AssertionError(flyweight.getSimpleName() + "." + field, broken);
        }
    }

    private static String camel(String field) {
        StringBuilder name = new StringBuilder();
        for (String word : field.split("_")) {
            name.append(name.isEmpty() ? word : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
        }
        return name.toString();
    }

    private static List<Field> constants(Class<?> type) {
        return Stream.of(type.getFields()).filter(each -> Modifier.isStatic(each.getModifiers()) && each.getType() == int.class).toList();
    }

    /** Names of all classes of the module, with their package below {@code org.softrdma.abi}. */
    private static List<String> classes() throws IOException {
        Path sources = KernelLab.root().resolve("kernel-abi/src/main/java/org/softrdma/abi");
        try (Stream<Path> files = Files.walk(sources)) {
            return files.map(file -> sources.relativize(file).toString()).filter(name -> name.matches("\\w+/[A-Z]\\w+\\.java"))
                .map(name -> name.replace(".java", "").replace('/', '.')).sorted().toList();
        }
    }
}
