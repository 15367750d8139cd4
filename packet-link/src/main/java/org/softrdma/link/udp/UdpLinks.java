// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
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

    /**
     * Whether a socket of any process has the port of RoCE at an address. Takes a fraction of the time of a link that cannot be opened. The
     * answer may be out of date at once, and is false where it cannot be found out.
     *
     * @param address of this host, unicast
     */
    public static boolean isTaken(Gid address) {
        try (DatagramChannel probe = DatagramChannel.open(address.isIpv4Mapped() ? StandardProtocolFamily.INET
            : StandardProtocolFamily.INET6)) {
            probe.bind(new InetSocketAddress(address.toInetAddress(), UdpLinkOptions.DEFAULT.port()));
            return false;
        } catch (BindException refused) {
            return String.valueOf(refused.getMessage()).contains("in use");
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
