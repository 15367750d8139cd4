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

    public int exitCode() {
        return exitCode;
    }
}
