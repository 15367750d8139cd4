// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import org.softrdma.wire.net.Udp;

/**
 * Socket options for {@link UdpLinks#open}.
 *
 * @param port              1..65535, bound at every address and sent to at every peer; RoCE v2 is 4791
 * @param interfaceName     network interface of link-local addresses ({@code fe80::}); null to look it up by the address
 * @param socketBufferBytes requested for each socket and direction; the host may grant less
 * @param offload           whether the kernel or the NIC cuts and coalesces trains of packets, if supported
 */
public record UdpLinkOptions(int port, String interfaceName, int socketBufferBytes, boolean offload) {
    /** UDP destination port of RoCE v2. */
    public static final int ROCE_PORT = Udp.DEST_PORT_ROCE;
    /** System property: {@code off} disables offload in {@link #DEFAULT}. */
    public static final String OFFLOAD_PROPERTY = "softrdma.offload";
    /** Port 4791, buffers of 8 MiB, offload unless {@link #OFFLOAD_PROPERTY} is {@code off}. */
    public static final UdpLinkOptions DEFAULT =
        new UdpLinkOptions(ROCE_PORT, null, 8 << 20, !"off".equals(System.getProperty(OFFLOAD_PROPERTY)));

    public UdpLinkOptions {
        if (port < 1 || port > 0xffff || socketBufferBytes < 1) {
            throw new IllegalArgumentException("port " + port + ", socket buffer " + socketBufferBytes + " bytes");
        }
    }

    public UdpLinkOptions withPort(int newPort) {
        return new UdpLinkOptions(newPort, interfaceName, socketBufferBytes, offload);
    }

    public UdpLinkOptions withInterface(String name) {
        return new UdpLinkOptions(port, name, socketBufferBytes, offload);
    }

    public UdpLinkOptions withSocketBuffer(int bytes) {
        return new UdpLinkOptions(port, interfaceName, bytes, offload);
    }

    public UdpLinkOptions withOffload(boolean on) {
        return new UdpLinkOptions(port, interfaceName, socketBufferBytes, on);
    }
}
