// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.host.inspect.ProcessPublisher;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionManagerProvider;

/** Provides the process-wide connection manager for the devices of this host. */
public final class SoftConnectionManagerProvider implements ConnectionManagerProvider {
    /** Holder that creates the manager on first use. */
    private static final class Holder {
        private static final SoftConnectionManager MANAGER = make();

        private static SoftConnectionManager make() {
            SoftConnectionManager manager = new SoftConnectionManager(new SystemHost());
            ProcessPublisher.ofThisProcess().also(manager);
            // Notify the peers of a process that ends without closing its identifiers, as an operating system does.
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("softrdma-cm-exit").unstarted(manager::abandonAtExit));
            return manager;
        }
    }

    /** Returns false where the devices are the daemon's: their connections are the daemon's, too. */
    @Override
    public boolean isUsable() {
        return !Verbs.usesDaemon();
    }

    @Override
    public ConnectionManager connectionManager() {
        return Holder.MANAGER;
    }
}
