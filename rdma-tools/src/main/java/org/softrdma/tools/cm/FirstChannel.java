// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;

/** The event channel a tool begins with: without devices there is nothing to begin. */
public final class FirstChannel {
    private FirstChannel() {
    }

    /** @param exitCode what the tool ends with if there are no devices */
    public static EventChannel create(int exitCode) {
        if (Verbs.devices().isEmpty()) {
            throw new ToolFailure(exitCode, "No RDMA devices were detected\n`rdma link add rxe0 type rxe netdev NETDEV` adds one.");
        }
        return ConnectionManager.get().createEventChannel();
    }
}
