// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * A source of devices, found with {@link java.util.ServiceLoader}. An operation that its objects do not implement keeps the API's default,
 * which throws EOPNOTSUPP.
 */
public interface VerbsProvider {
    /**
     * {@return the name in one word, for messages: of the transport, {@code rxe} or {@code siw}, or of the library behind it,
     * {@code libibverbs}}
     */
    String name();

    /** {@return the current devices; opens nothing and needs no privilege} */
    List<RdmaDevice> devices();

    /**
     * Looks what this machine or process lacks for devices of this provider. A provider that lacks something lists no devices.
     *
     * @return what is missing, and where to get it; null if nothing is
     */
    default String missing() {
        return null;
    }
}
