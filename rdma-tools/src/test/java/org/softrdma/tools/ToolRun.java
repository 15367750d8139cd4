// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.ToIntFunction;
import org.softrdma.tools.cli.Console;

/** Call of a tool in this JVM, with its result. */
public record ToolRun(int exitCode, String out, String err) {
    /** Runs {@code softrdma WORD...}. */
    static ToolRun of(String... words) {
        return of(console -> Softrdma.run(List.of(words), console));
    }

    public static ToolRun of(ToIntFunction<Console> tool) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = tool.applyAsInt(new Console(new PrintStream(out, true), new PrintStream(err, true)));
        return new ToolRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
