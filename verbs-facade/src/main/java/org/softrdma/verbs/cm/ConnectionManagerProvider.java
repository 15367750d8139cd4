// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import org.softrdma.verbs.Verbs;

/**
 * Provides the process-wide connection manager. Discovered with {@link java.util.ServiceLoader}; {@link ConnectionManager#get()} says
 * which one is used.
 */
public interface ConnectionManagerProvider {
    /** {@return the name of the implementation, as that of its devices: {@link org.softrdma.verbs.RdmaDevice#origin}} */
    default String origin() {
        return Verbs.SOFTRDMA;
    }

    /** {@return whether what it needs is installed} */
    default boolean isUsable() {
        return true;
    }

    /** {@return the connection manager, always the same one} Opens nothing. */
    ConnectionManager connectionManager();
}
