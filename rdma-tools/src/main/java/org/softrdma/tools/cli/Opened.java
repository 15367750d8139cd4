// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.util.ArrayDeque;
import java.util.Deque;
import org.softrdma.verbs.VerbsException;

/** Resources that a tool has opened and must close, last opened first. */
public final class Opened {
    private final Deque<Closer> closers = new ArrayDeque<>();

    /** Close operation, and the message if it fails. */
    private record Closer(String complaint, Runnable close) {
    }

    /** Adds a resource, which is closed before everything added so far. */
    public void add(String complaint, Runnable close) {
        closers.push(new Closer(complaint, close));
    }

    /**
     * Closes all resources.
     *
     * @throws ToolFailure with the complaint of the first one that cannot be closed
     */
    public void close() {
        while (!closers.isEmpty()) {
            Closer next = closers.pop();
            attempt(next.complaint, next.close);
        }
    }

    /** Closes all resources and ignores failures to do so, after an earlier failure. */
    public void abandon() {
        while (!closers.isEmpty()) {
            try {
                closers.pop().close.run();
            } catch (RuntimeException moot) {
                // The earlier failure is reported instead.
            }
        }
    }

    /**
     * Calls a verb.
     *
     * @throws ToolFailure with the complaint if the verb fails
     */
    public static void attempt(String complaint, Runnable verb) {
        try {
            verb.run();
        } catch (VerbsException refused) {
            throw new ToolFailure(complaint, refused);
        }
    }
}
