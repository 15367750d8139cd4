// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.cm.CmEvent;

/** Explanation below the original's line about an error event, which has a number only. */
public final class EventCause {
    private EventCause() {
    }

    /** Prints what this host knows about the cause, if it knows anything, as a line of its own on stderr. */
    public static void print(CmEvent event, Console console) {
        if (event.detail() != null) {
            console.error(event.detail());
        }
    }
}
