// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Names and addresses on command lines, as {@code getaddrinfo} takes them. */
public final class HostName {
    /** What {@code gai_strerror} says about a name nobody knows. */
    public static final String UNKNOWN = "Name or service not known";
    /** {@code EAI_NONAME}, -2, as an exit code. */
    public static final int UNKNOWN_EXIT = 254;
    /** {@code EAI_SERVICE}, -8, as an exit code. */
    public static final int UNKNOWN_SERVICE_EXIT = 248;

    private HostName() {
    }

    /** All that stand for it; none if nobody knows it. */
    public static InetAddress[] findAll(String name) {
        try {
            return InetAddress.getAllByName(name);
        } catch (UnknownHostException unknown) {
            return new InetAddress[0];
        }
    }

    /** Null if nobody knows it. */
    public static InetAddress find(String name) {
        try {
            // "::0" and the like are addresses; an empty text would be the own host.
            return name.isEmpty() ? null : InetAddress.getByName(name);
        } catch (UnknownHostException unknown) {
            return null;
        }
    }
}
