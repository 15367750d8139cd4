// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Constant expressions, evaluated by a C program over the installed headers. Tests that use it need {@link CHeadersExtension}. */
final class CHeaders {
    private static final List<String> INCLUDED = List.of("errno.h", "netinet/in.h", "stddef.h", "stdio.h", "sys/socket.h",
        "linux/netlink.h", "rdma/rdma_netlink.h", "rdma/ib_user_verbs.h", "rdma/ib_user_ioctl_verbs.h", "rdma/ib_user_ioctl_cmds.h",
        "rdma/rdma_user_ioctl_cmds.h", "rdma/rdma_user_rxe.h", "rdma/siw-abi.h", "rdma/rdma_user_cm.h", "infiniband/verbs.h",
        "infiniband/ib.h", "infiniband/sa.h");
    private static final int SECONDS = 60;

    private CHeaders() {
    }

    /**
     * Compiles and runs one program.
     *
     * @param directory where the program and its source go
     * @param expressions integer constant expressions
     * @return their values, in order
     */
    static List<Long> evaluate(Path directory, List<String> expressions) throws IOException, InterruptedException {
        return evaluate(directory, INCLUDED, expressions);
    }

    /** @param headers that the program includes, in order */
    static List<Long> evaluate(Path directory, List<String> headers, List<String> expressions) throws IOException, InterruptedException {
        StringBuilder source = new StringBuilder();
        headers.forEach(header -> source.append("#include <").append(header).append(">\n"));
        source.append("int main(void) {\n");
        expressions.forEach(each -> source.append("printf(\"%lld\\n\", (long long)(").append(each).append("));\n"));
        source.append("return 0;\n}\n");
        Path file = Files.writeString(directory.resolve("headers.c"), source);
        Path program = directory.resolve("headers");
        run(directory, CHeadersExtension.COMPILER, "-o", program.toString(), file.toString());
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
