// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.VerbsException;

/** End of a test whose cause was already printed. Its status is printed at the end, and is the exit code. */
final class TestFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** Result of librdmacm's functions when they set errno. */
    private static final int REFUSED = -1;

    private final int status;

    TestFailure(int status) {
        super("status " + status);
        this.status = status;
    }

    /** Prints the line of {@code perror} and, on a line of its own, the verb's message. */
    static TestFailure perror(Console console, String step, VerbsException cause) {
        warn(console, step, cause);
        return new TestFailure(REFUSED);
    }

    /** Prints the lines of {@link #perror} for a failure that does not end the test. */
    static void warn(Console console, String step, VerbsException cause) {
        console.error(step + ": " + cause.errno().text() + "\n" + cause.getMessage());
    }

    int status() {
        return status;
    }
}
