// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * A source of devices, found with {@link java.util.ServiceLoader}. What its objects do not implement they leave at the API's default,
 * which answers EOPNOTSUPP.
 */
public interface VerbsProvider {
    /** Transport in one word, for messages: {@code rxe}, {@code siw}. */
    String name();

    /** The devices there are now; listing opens nothing and needs no privilege. */
    List<RdmaDevice> devices();
}
