// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import org.softrdma.verbs.VerbsException;

/** Ends a tool: a message for stderr, in the original tool's words where it has some, what stood behind it, and the exit code. */
public final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public ToolFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Exit code 1. */
    public ToolFailure(String message) {
        this(1, message);
    }

    /** Exit code 1; the verb's own message, which names values and what to do, goes on a line of its own. */
    public ToolFailure(String message, VerbsException cause) {
        this(message + "\n" + cause.getMessage());
        initCause(cause);
    }

    /** Everything was said, on stdout perhaps. */
    public static ToolFailure silent(int exitCode) {
        return new ToolFailure(exitCode, null);
    }

    /** What {@code perror} prints: what was done, and the error's text; the verb's own message on a line of its own. */
    public static ToolFailure perror(int exitCode, String what, VerbsException cause) {
        ToolFailure failure = new ToolFailure(exitCode, what + ": " + cause.errno().text() + "\n" + cause.getMessage());
        failure.initCause(cause);
        return failure;
    }

    public int exitCode() {
        return exitCode;
    }
}
