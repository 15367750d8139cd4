// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Constant expressions, evaluated by a C program over headers. Tests that use it need {@link CHeadersExtension}. */
final class CHeaders {
    private static final List<String> INCLUDED = List.of("errno.h", "netinet/in.h", "stddef.h", "stdio.h", "sys/socket.h",
        "linux/netlink.h", "rdma/rdma_netlink.h", "rdma/ib_user_verbs.h", "rdma/ib_user_ioctl_verbs.h", "rdma/ib_user_ioctl_cmds.h",
        "rdma/rdma_user_ioctl_cmds.h", "rdma/rdma_user_rxe.h", "rdma/siw-abi.h", "rdma/rdma_user_cm.h", "rdma/ib_user_mad.h",
        "infiniband/verbs.h", "infiniband/ib.h", "infiniband/sa.h");
    /** Directory of the installed headers. */
    static final Path SYSTEM = Path.of("/usr/include");
    private static final int SECONDS = 60;

    private CHeaders() {
    }

    /** One number of ours and the C expression that must have the same value. */
    record Row(String what, long value, String expression) {
    }

    /**
     * A line of a table of structures: the class, the name in C, and members whose constants have other names.
     *
     * @param renamed members by the name of the constant
     */
    record Structure(String layout, String name, Map<String, String> renamed) {
        /** Returns the row of the size. */
        Row size(int bytes) {
            return new Row(layout + ".BYTES as struct " + name, bytes, "sizeof(struct " + name + ")");
        }

        /** Adds the rows of a field. */
        void addField(List<Row> rows, String field, int offset, int width) {
            String member = renamed.getOrDefault(field, field);
            String what = layout + "." + field + " as " + name + "." + member;
            rows.add(new Row(what, offset, "offsetof(struct " + name + ", " + member + ")"));
            if (width > 0) {
                rows.add(new Row("width of " + what, width, "sizeof(((struct " + name + " *) 0)->" + member + ")"));
            }
        }
    }

    /** Reads a table of structures. */
    static List<Structure> structures(String table) throws IOException {
        List<Structure> structures = new ArrayList<>();
        for (String line : lines(table)) {
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
    static List<String> lines(String table) throws IOException {
        try (InputStream in = CHeaders.class.getResourceAsStream(table)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.replaceAll("\n +", " ").lines().filter(line -> !line.startsWith("#") && !line.isBlank()).toList();
        }
    }

    /** Compares with the headers of the kernel's interface. */
    static void compare(Path directory, List<Row> rows) throws IOException, InterruptedException {
        compare(directory, SYSTEM, INCLUDED, rows);
    }

    /**
     * Compares with headers.
     *
     * @param includes directory where the compiler looks first
     * @param headers  that define the expressions' names, in the order in which they are included
     */
    static void compare(Path directory, Path includes, List<String> headers, List<Row> rows) throws IOException, InterruptedException {
        List<Long> values = evaluate(directory, includes, headers, rows.stream().map(Row::expression).toList());
        assertEquals(rows.size(), values.size());
        List<String> different = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).value() != values.get(i)) {
                different.add(rows.get(i).what() + ": " + rows.get(i).value() + ", C: " + values.get(i));
            }
        }
        assertEquals(List.of(), different);
    }

    /** Compiles and runs one program that prints the values of integer constant expressions. */
    private static List<Long> evaluate(Path directory, Path includes, List<String> headers, List<String> expressions)
        throws IOException, InterruptedException {
        StringBuilder source = new StringBuilder();
        headers.forEach(header -> source.append("#include <").append(header).append(">\n"));
        source.append("int main(void) {\n");
        expressions.forEach(each -> source.append("printf(\"%lld\\n\", (long long)(").append(each).append("));\n"));
        source.append("return 0;\n}\n");
        Path file = Files.writeString(directory.resolve("headers.c"), source);
        Path program = directory.resolve("headers");
        run(directory, CHeadersExtension.COMPILER, "-I", includes.toString(), "-o", program.toString(), file.toString());
        return run(directory, program.toString()).lines().map(Long::valueOf).toList();
    }

    private static String run(Path directory, String... command) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(command[0] + " did not end within " + SECONDS + " s");
        }
        assertEquals(0, process.exitValue(), () -> String.join(" ", command) + ": " + text(output));
        return text(output);
    }

    private static String text(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
