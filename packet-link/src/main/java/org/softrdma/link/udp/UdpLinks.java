// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import java.util.List;
import org.softrdma.link.Link;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/**
 * Opens RoCE v2 over UDP sockets. On Linux that is {@link LinuxUdpLink}, elsewhere {@link NioUdpLink}; the system property
 * {@value #PROPERTY} set to {@code nio} selects the portable one on Linux too, set to {@code linux} the Linux one.
 */
public final class UdpLinks {
    /** System property: {@code nio}, {@code linux}, or unset for the best link of the platform. */
    public static final String PROPERTY = LinuxSockets.CHOICE_PROPERTY;

    private UdpLinks() {
    }

    /** Opens a link with {@link UdpLinkOptions#DEFAULT}. */
    public static Link open(List<Gid> addresses) {
        return open(addresses, UdpLinkOptions.DEFAULT);
    }

    /** Opens a link with {@link UdpLinkOptions#DEFAULT} but another port, for tests. */
    public static Link open(List<Gid> addresses, int port) {
        return open(addresses, UdpLinkOptions.DEFAULT.withPort(port));
    }

    /**
     * Binds one socket per address.
     *
     * @param addresses of this host, unicast; each of them both source and destination of packets
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE, naming the process that has the port if it can be found; EADDRNOTAVAIL; EINVAL
     *         for no or wildcard addresses; other errors of the host
     */
    public static Link open(List<Gid> addresses, UdpLinkOptions options) {
        String wanted = System.getProperty(PROPERTY, "");
        return switch (wanted) {
            case "nio" -> new NioUdpLink(addresses, options);
            case "linux" -> new LinuxUdpLink(addresses, options);
            case "" -> System.getProperty("os.name").equals("Linux")
                ? new LinuxUdpLink(addresses, options)
                : new NioUdpLink(addresses, options);
            default -> throw new IllegalArgumentException(PROPERTY + " is \"nio\", \"linux\" or unset, not \"" + wanted + '"');
        };
    }
}
