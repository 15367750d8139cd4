// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.util.ArrayDeque;
import java.util.Deque;
import org.softrdma.verbs.VerbsException;

/** What a tool has opened and must close, last opened first. */
public final class Opened {
    private final Deque<Closer> closers = new ArrayDeque<>();

    /** Closes one thing, or says what could not be closed. */
    private record Closer(String complaint, Runnable close) {
    }

    /** Something to close before everything opened so far. */
    public void add(String complaint, Runnable close) {
        closers.push(new Closer(complaint, close));
    }

    /** Closes everything. */
    public void close() {
        while (!closers.isEmpty()) {
            Closer next = closers.pop();
            attempt(next.complaint, next.close);
        }
    }

    /** Closes what can be closed: after a failure that was already told, or where nobody would look. */
    public void abandon() {
        while (!closers.isEmpty()) {
            try {
                closers.pop().close.run();
            } catch (RuntimeException moot) {
                // what led here is what there is to report
            }
        }
    }

    /** @throws ToolFailure in the tool's words if the verb refuses */
    public static void attempt(String complaint, Runnable verb) {
        try {
            verb.run();
        } catch (VerbsException refused) {
            throw new ToolFailure(complaint, refused);
        }
    }
}
