// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * A source of devices, found with {@link java.util.ServiceLoader}. An operation that its objects do not implement keeps the API's default,
 * which throws EOPNOTSUPP.
 */
public interface VerbsProvider {
    /** Name of the transport in one word, for messages: {@code rxe}, {@code siw}. */
    String name();

    /** Returns the current devices; opens nothing and needs no privilege. */
    List<RdmaDevice> devices();
}
