// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.io.PrintStream;
import java.util.Locale;

/** Where a tool writes. Formats are C's, whatever the user's locale. */
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

    /** A line on stderr, after everything printed so far. */
    public void error(String line) {
        out.flush();
        err.print(line);
        err.print('\n');
        err.flush();
    }
}
