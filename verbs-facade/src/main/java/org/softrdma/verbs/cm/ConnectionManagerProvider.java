// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

/**
 * Provides the process-wide connection manager. Discovered with {@link java.util.ServiceLoader}; the first usable one wins, in the order
 * of {@link org.softrdma.verbs.Verbs#ORDER_PROPERTY}.
 */
public interface ConnectionManagerProvider {
    /** Name of the implementation, as that of its devices: {@link org.softrdma.verbs.VerbsProvider#origin}. */
    default String origin() {
        return "softrdma";
    }

    /** Returns whether what it needs is installed. */
    default boolean isUsable() {
        return true;
    }

    /** Returns the connection manager, always the same one. Opens nothing. */
    ConnectionManager connectionManager();
}
