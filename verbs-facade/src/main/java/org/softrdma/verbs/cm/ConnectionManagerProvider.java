// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

/** Provides the process-wide connection manager. Discovered with {@link java.util.ServiceLoader}; the first provider wins. */
public interface ConnectionManagerProvider {
    /** Returns the connection manager, always the same one. Opens nothing. */
    ConnectionManager connectionManager();
}
