// SPDX-License-Identifier: Apache-2.0
/**
 * RoCE v1 and v2 in whole Ethernet frames over a Linux packet socket.
 *
 * <p>Reading order: {@link org.softrdma.link.raw.RawLinks} and {@code RawLink} (sending and receiving); {@code RawAddresses} with
 * {@code ReservedPorts} and {@code InterfaceClaim} (what the link holds of the host); {@code RawPaths} with {@code Routes},
 * {@code Neighbours} and {@code WaitingPackets} (MAC addresses, from netlink: {@code RouteSocket}, {@code RouteMessage});
 * {@code RawDestination} and {@code RawSends} (headers of sent frames); {@code FrameFilter}, {@code PacketSocket} and
 * {@code RawFrameReader} (received frames).
 */
package org.softrdma.link.raw;
