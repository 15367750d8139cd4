// SPDX-License-Identifier: Apache-2.0
/**
 * The headers that carry RoCE packets: {@link org.softrdma.wire.net.Ethernet}, {@link org.softrdma.wire.net.Vlan},
 * {@link org.softrdma.wire.net.Ipv4}, {@link org.softrdma.wire.net.Ipv6}, {@link org.softrdma.wire.net.Udp}; and
 * {@link org.softrdma.wire.net.Gids}, addresses as GIDs and MAC addresses as their interface identifiers.
 */
package org.softrdma.wire.net;
