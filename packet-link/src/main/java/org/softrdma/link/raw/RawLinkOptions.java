// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.util.List;
import org.softrdma.link.udp.UdpLinkOptions;
import org.softrdma.verbs.GidType;

/**
 * Options for {@link RawLinks#open}.
 *
 * @param interfaceName     network interface: Ethernet, VLAN, veth, tap, bridge and the like, or loopback
 * @param mac               the interface's MAC address, u48; 0 for loopback
 * @param types             RoCE versions to carry, in the order of the GID table
 * @param port              of RoCE v2, both ends
 * @param socketBufferBytes requested for each direction; the host may grant less
 * @param offload           whether the kernel or the NIC cuts trains of RoCE v2 packets, if supported
 * @param claims            whether the link takes RoCE v2's port and RoCE v1 of the interface for itself; false for a {@link RawSender}
 */
public record RawLinkOptions(String interfaceName, long mac, List<GidType> types, int port, int socketBufferBytes, boolean offload,
                             boolean claims) {
    public RawLinkOptions {
        types = List.copyOf(types);
        if (types.isEmpty() || types.contains(GidType.IB)) {
            throw new IllegalArgumentException("a raw link carries RoCE v1, v2 or both, not " + types);
        }
    }

    /** Options with the port, socket buffers and offload of {@link UdpLinkOptions#DEFAULT}. */
    public static RawLinkOptions on(String interfaceName, long mac, List<GidType> types) {
        return new RawLinkOptions(interfaceName, mac, types, UdpLinkOptions.DEFAULT.port(), UdpLinkOptions.DEFAULT.socketBufferBytes(),
            UdpLinkOptions.DEFAULT.offload(), true);
    }

    RawLinkOptions withoutClaims() {
        return new RawLinkOptions(interfaceName, mac, types, port, socketBufferBytes, offload, false);
    }

    boolean v1() {
        return types.contains(GidType.ROCE_V1);
    }

    boolean v2() {
        return types.contains(GidType.ROCE_V2);
    }
}
