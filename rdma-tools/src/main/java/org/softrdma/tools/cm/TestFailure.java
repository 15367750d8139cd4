// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.VerbsException;

/** Ends a test; what there was to say is said. Its status is printed at the end, and is the exit code. */
final class TestFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** What librdmacm's functions return when they set errno. */
    private static final int REFUSED = -1;

    private final int status;

    TestFailure(int status) {
        super("status " + status);
        this.status = status;
    }

    /** What {@code perror} prints, and on a line of its own what the verb has to say. */
    static TestFailure perror(Console console, String what, VerbsException cause) {
        warn(console, what, cause);
        return new TestFailure(REFUSED);
    }

    /** As {@link #perror}, where the test goes on. */
    static void warn(Console console, String what, VerbsException cause) {
        console.error(what + ": " + cause.errno().text() + "\n" + cause.getMessage());
    }

    int status() {
        return status;
    }
}
