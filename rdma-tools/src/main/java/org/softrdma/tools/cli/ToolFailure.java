// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import org.softrdma.verbs.VerbsException;

/** Failure that ends a tool: a message for stderr, in the original tool's words where there are any, and the exit code. */
public final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public ToolFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Fails with exit code 1. */
    public ToolFailure(String message) {
        this(1, message);
    }

    /** Fails with exit code 1. The verb's own message, which names values and what to do, is a line of its own. */
    public ToolFailure(String message, VerbsException cause) {
        this(message + "\n" + cause.getMessage());
        initCause(cause);
    }

    /** Failure without a message: the tool has already printed one. */
    public static ToolFailure silent(int exitCode) {
        return new ToolFailure(exitCode, null);
    }

    /** Failure with the line of {@code perror}, the step and the error's text; the verb's own message is a line of its own. */
    public static ToolFailure perror(int exitCode, String what, VerbsException cause) {
        ToolFailure failure = new ToolFailure(exitCode, what + ": " + cause.errno().text() + "\n" + cause.getMessage());
        failure.initCause(cause);
        return failure;
    }

    public int exitCode() {
        return exitCode;
    }
}
