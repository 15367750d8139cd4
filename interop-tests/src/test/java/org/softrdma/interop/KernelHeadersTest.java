// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.abi.rings.RxeQueueHeader;

/** Every size, offset, field width and number of {@code kernel-abi} is that of the headers of Linux and rdma-core. */
@ExtendWith(CHeadersExtension.class)
class KernelHeadersTest {
    private static final String PACKAGE = "org.softrdma.abi.";
    private static final String OFFSET = "_OFFSET";
    /** Flyweights of structures that Debian 12's headers do not have; their comments name the source. */
    private static final Set<String> WITHOUT_HEADER = Set.of("rings.RxeFlushRequest");
    private static final int AT = 64;

    @TempDir
    private Path directory;

    /** One constant of ours and the C expression that must have the same value. */
    private record Row(String what, long value, String expression) {
    }

    /** One line of the table of structures. */
    private record Structure(String flyweight, String name, Map<String, String> renamed) {
        String member(String field) {
            return renamed.getOrDefault(field, field);
        }
    }

    @Test
    void shouldHaveTheSizesAndFieldsOfTheHeaders() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (Structure structure : structures()) {
            Class<?> flyweight = Class.forName(PACKAGE + structure.flyweight());
            String type = "struct " + structure.name();
            int bytes = flyweight.getField("BYTES").getInt(null);
            rows.add(new Row(structure.flyweight() + ".BYTES as " + type, bytes, "sizeof(" + type + ")"));
            for (Field constant : constants(flyweight)) {
                if (constant.getName().endsWith(OFFSET) && !constant.getName().equals("DATA" + OFFSET)) {
                    addField(rows, structure, flyweight, constant);
                }
            }
        }
        rows.add(new Row("RxeQueueHeader.DATA_OFFSET", RxeQueueHeader.DATA_OFFSET, "offsetof(struct rxe_queue_buf, data)"));
        assertTrue(rows.size() > 1000, "only " + rows.size() + " rows");
        compare(rows);
    }

    private static void addField(List<Row> rows, Structure structure, Class<?> flyweight, Field constant) throws IllegalAccessException {
        String field = constant.getName().substring(0, constant.getName().length() - OFFSET.length()).toLowerCase(Locale.ROOT);
        String member = structure.member(field);
        String what = structure.flyweight() + "." + field + " as " + structure.name() + "." + member;
        rows.add(new Row(what, constant.getInt(null), "offsetof(struct " + structure.name() + ", " + member + ")"));
        int width = width(flyweight, field, constant.getInt(null));
        if (width > 0) {
            rows.add(new Row("width of " + what, width, "sizeof(((struct " + structure.name() + " *) 0)->" + member + ")"));
        }
    }

    @Test
    void shouldHaveTheNumbersOfTheHeaders() throws Exception {
        Map<String, Map<String, String>> expressions = new HashMap<>();
        for (String line : lines("kernel-values.txt")) {
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
        compare(rows);
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
        for (Structure each : structures()) {
            structures.add(each.flyweight());
        }
        Map<String, Map<String, String>> values = new HashMap<>();
        for (String line : lines("kernel-values.txt")) {
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

    private void compare(List<Row> rows) throws IOException, InterruptedException {
        List<Long> values = CHeaders.evaluate(directory, rows.stream().map(Row::expression).toList());
        assertEquals(rows.size(), values.size());
        List<String> different = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).value() != values.get(i)) {
                different.add(rows.get(i).what() + ": " + rows.get(i).value() + ", C: " + values.get(i));
            }
        }
        assertEquals(List.of(), different);
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

    private static List<Structure> structures() throws IOException {
        List<Structure> structures = new ArrayList<>();
        for (String line : lines("kernel-structs.txt")) {
            String[] words = line.split(" ");
            Map<String, String> renamed = new HashMap<>();
            for (int i = 2; i < words.length; i++) {
                renamed.put(words[i].substring(0, words[i].indexOf('=')), words[i].substring(words[i].indexOf('=') + 1));
            }
            structures.add(new Structure(words[0], words[1], renamed));
        }
        return structures;
    }

    /** Rows of a table without comments; a row that begins with blanks continues the row before. */
    private static List<String> lines(String table) throws IOException {
        try (InputStream in = KernelHeadersTest.class.getResourceAsStream(table)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.replaceAll("\n +", " ").lines().filter(line -> !line.startsWith("#") && !line.isBlank()).toList();
        }
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
