// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionManagerProvider;

/** The connection manager of the system's librdmacm, for the devices of {@link LibibverbsProvider}. */
public final class LibrdmacmProvider implements ConnectionManagerProvider {
    private static final ConnectionManager MANAGER = new NativeConnectionManager();

    /** Called by the service loader. */
    public LibrdmacmProvider() {
    }

    @Override
    public String origin() {
        return LibibverbsProvider.ORIGIN;
    }

    @Override
    public boolean isUsable() {
        return Librdmacm.isInstalled();
    }

    @Override
    public ConnectionManager connectionManager() {
        return MANAGER;
    }
}
