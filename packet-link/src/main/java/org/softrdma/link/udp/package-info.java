// SPDX-License-Identifier: Apache-2.0
/**
 * RoCE v2 over UDP sockets.
 *
 * <p>Reading order: {@link org.softrdma.link.udp.UdpLinks} (which link a platform gets), {@code UdpSockets} (addresses, groups and
 * memberships, for all platforms) and its Linux form {@code LinuxUdpSockets}, {@link org.softrdma.link.udp.LinuxUdpLink} (batches and
 * trains) with {@code UdpDestination}, {@code SendTrains} and {@code ErrorQueue}; then the portable {@code NioUdpSockets} and
 * {@code NioUdpLink}.
 */
package org.softrdma.link.udp;
