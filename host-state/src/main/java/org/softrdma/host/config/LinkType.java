// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.List;

/**
 * A type of link, {@code rdma link add NAME type TYPE}: declared by the provider of its devices, found with
 * {@link java.util.ServiceLoader} by {@link LinkTypes}.
 */
public interface LinkType {
    /** The type word. */
    String name();

    /** The protocol, for people: {@code RoCE}. */
    String protocol();

    /** Position among the types, ascending: in lists, and in the order of the default devices. */
    int order();

    /** Whether its links are on a network interface, and each interface that is up has one unless the user configured others. */
    default boolean isOnInterface() {
        return true;
    }

    /** The options of its links, in the order in which they are shown. */
    List<LinkOption<?>> options();

    /**
     * Checks options that depend on each other. Each one of them is known to be valid by itself.
     *
     * @param link with its options
     * @throws org.softrdma.verbs.VerbsException EINVAL, naming the options and what is allowed
     */
    default void check(ConfiguredLink link) {
    }

    /**
     * Finds an option.
     *
     * @param name the word before its value
     * @return null if the type has no option of that name
     */
    default LinkOption<?> option(String name) {
        for (LinkOption<?> each : options()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }
}
