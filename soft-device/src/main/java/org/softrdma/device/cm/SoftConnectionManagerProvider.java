// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import org.softrdma.device.inspect.ProcessPublisher;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionManagerProvider;

/** The process's connection manager: over the devices of this host. */
public final class SoftConnectionManagerProvider implements ConnectionManagerProvider {
    /** Made when somebody asks for it. */
    private static final class Holder {
        private static final SoftConnectionManager MANAGER = make();

        private static SoftConnectionManager make() {
            SoftConnectionManager manager = new SoftConnectionManager(new SystemHost());
            ProcessPublisher.ofThisProcess().also(manager);
            // Peers of a process that ends without closing hear of it, as an operating system would see to it.
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("softrdma-cm-exit").unstarted(manager::abandon));
            return manager;
        }
    }

    @Override
    public ConnectionManager connectionManager() {
        return Holder.MANAGER;
    }
}
