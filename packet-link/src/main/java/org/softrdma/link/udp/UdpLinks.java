// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import java.util.List;
import org.softrdma.link.Link;
import org.softrdma.linux.NativeCalls;
import org.softrdma.verbs.Gid;

/**
 * Opens RoCE v2 over UDP sockets. On Linux that is {@link LinuxUdpLink}, elsewhere, and if the JVM denies native code, {@link NioUdpLink};
 * the system property {@value #PROPERTY} set to {@code nio} selects the portable one on Linux too, set to {@code linux} the Linux one.
 */
public final class UdpLinks {
    /** System property: {@code nio}, {@code linux}, or unset for the best link of the platform. */
    public static final String PROPERTY = NativeCalls.CHOICE_PROPERTY;

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
     *         for no or wildcard addresses, and for another value of {@value #PROPERTY}; EOPNOTSUPP: the property demands the Linux link,
     *         and that is impossible; other errors of the host
     */
    public static Link open(List<Gid> addresses, UdpLinkOptions options) {
        return NativeCalls.areChosen() ? new LinuxUdpLink(addresses, options) : new NioUdpLink(addresses, options);
    }
}
