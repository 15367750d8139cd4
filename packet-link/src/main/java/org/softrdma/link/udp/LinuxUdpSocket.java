// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import org.softrdma.verbs.Gid;

/** A socket of a {@link LinuxUdpLink} with the state of its polling. */
final class LinuxUdpSocket extends BoundSocket {
    final int fd;
    final boolean ipv4;
    /** Consecutive polls without a packet, up to the limit at which the socket is cold. */
    int emptyPolls;
    /** The last poll received something: there may be more. */
    boolean streams;
    /** The last send found the send buffer full. */
    boolean full;
    /** The error queue may hold something. */
    boolean hasErrors;

    LinuxUdpSocket(int fd, Gid local, int scope) {
        super(local, scope);
        this.fd = fd;
        ipv4 = local.isIpv4Mapped();
    }
}
