// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.io.PrintStream;
import java.util.Locale;

/** Output streams of a tool. Formats are C's and independent of the user's locale. */
public record Console(PrintStream out, PrintStream err) {
    public void print(String text) {
        out.print(text);
    }

    public void println(String line) {
        out.print(line);
        out.print('\n');
    }

    public void printf(String format, Object... values) {
        out.print(String.format(Locale.ROOT, format, values));
    }

    /** Prints a line on stderr, after flushing everything printed before. */
    public void error(String line) {
        out.flush();
        err.print(line);
        err.print('\n');
        err.flush();
    }
}
