// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;

/** First event channel of a tool, which fails without devices. */
public final class FirstChannel {
    private FirstChannel() {
    }

    /**
     * Creates the channel.
     *
     * @param exitCode of the tool if there are no devices
     * @throws ToolFailure there are no devices
     */
    public static EventChannel create(int exitCode) {
        if (Verbs.devices().isEmpty()) {
            throw new ToolFailure(exitCode, "No RDMA devices were detected\n`rdma link add rxe0 type rxe netdev NETDEV` adds one.");
        }
        return ConnectionManager.get().createEventChannel();
    }
}
