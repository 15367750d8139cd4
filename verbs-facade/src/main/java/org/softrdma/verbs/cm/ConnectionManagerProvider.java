// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

/** Who has the process's connection manager, found with {@link java.util.ServiceLoader}. The first one found is it. */
public interface ConnectionManagerProvider {
    /** Always the same one. Opens nothing. */
    ConnectionManager connectionManager();
}
