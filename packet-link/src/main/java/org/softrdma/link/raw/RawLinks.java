// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.nio.ByteOrder;
import java.util.List;
import org.softrdma.link.Link;
import org.softrdma.link.udp.UdpLinks;
import org.softrdma.linux.NativeCalls;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/** Opens links of whole Ethernet frames: RoCE v1, and RoCE v2 with all its headers. Linux only. */
public final class RawLinks {
    private RawLinks() {
    }

    /**
     * Opens a packet socket on one interface, without promiscuous mode, and for RoCE v2 binds the port at each address.
     *
     * @param addresses of the interface, unicast
     * @throws VerbsException EPERM: the process lacks CAP_NET_RAW; EOPNOTSUPP: not Linux on a little-endian 64-bit machine, or the JVM
     *     denies native code; ENODEV: no such interface, or none with MAC addresses; EADDRINUSE: also if another process uses RoCE v1
     *     there; EADDRNOTAVAIL, EINVAL as for {@link UdpLinks}; others of the host
     */
    public static Link open(List<Gid> addresses, RawLinkOptions options) {
        require();
        return new RawLink(addresses, options);
    }

    /**
     * Opens a packet socket for sending alone, beside a link that uses the interface.
     *
     * @param addresses of the interface, also of another process
     * @throws VerbsException as {@link #open}, but EADDRINUSE
     */
    public static RawSender openSender(List<Gid> addresses, RawLinkOptions options) {
        require();
        return new RawSender(new RawLink(addresses, options.withoutClaims()));
    }

    private static void require() {
        if (!System.getProperty("os.name").equals("Linux") || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new VerbsException(Errno.EOPNOTSUPP, "open_device", "raw frames need Linux on a little-endian machine; over UDP sockets"
                + " (link udp) there is RoCE v2 everywhere");
        }
        NativeCalls.require("a raw link");
    }
}
