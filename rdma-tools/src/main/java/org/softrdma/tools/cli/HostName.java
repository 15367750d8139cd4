// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Host names and addresses on command lines, with the rules of {@code getaddrinfo}. */
public final class HostName {
    /** Text of {@code gai_strerror} for an unknown name. */
    public static final String UNKNOWN = "Name or service not known";
    /** Exit code for {@code EAI_NONAME}, -2. */
    public static final int UNKNOWN_EXIT = 254;
    /** Exit code for {@code EAI_SERVICE}, -8. */
    public static final int UNKNOWN_SERVICE_EXIT = 248;

    private HostName() {
    }

    /** @return all addresses of the name; none if the name is unknown */
    public static InetAddress[] findAll(String name) {
        try {
            return InetAddress.getAllByName(name);
        } catch (UnknownHostException unknown) {
            return new InetAddress[0];
        }
    }

    /** @return one address of the name; null if the name is unknown */
    public static InetAddress find(String name) {
        try {
            // The JDK takes an empty text for the local host.
            return name.isEmpty() ? null : InetAddress.getByName(name);
        } catch (UnknownHostException unknown) {
            return null;
        }
    }
}
