// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionManagerProvider;

/** Provides the connection manager of the user's daemon, if {@link Verbs#HOST_PROPERTY} says so. */
public final class DaemonConnectionsProvider implements ConnectionManagerProvider {
    /** The manager for a session that lasts; null before the first. Guarded by the class. */
    private static JoinedConnections shared;

    /** Called by the service loader. */
    public DaemonConnectionsProvider() {
    }

    @Override
    public boolean isUsable() {
        return Verbs.usesDaemon();
    }

    /** Returns the same manager as long as the daemon runs. */
    @Override
    public ConnectionManager connectionManager() {
        DaemonSession session = DaemonSession.ofThisProcess();
        synchronized (DaemonConnectionsProvider.class) {
            if (shared == null || shared.session() != session) {
                shared = new JoinedConnections(session);
            }
            return shared;
        }
    }
}
