// SPDX-License-Identifier: Apache-2.0
/**
 * TCP connections as streams of bytes that the device's owner polls.
 *
 * <p>Reading order: {@link org.softrdma.siw.tcp.ByteStream} and {@link org.softrdma.siw.tcp.Streams} are the contracts;
 * {@link org.softrdma.siw.tcp.SocketStream} (Linux: the owner reads and writes the socket itself) and
 * {@link org.softrdma.siw.tcp.NettyStream} (elsewhere: a thread of Netty's does) are the two implementations;
 * {@link org.softrdma.siw.tcp.TcpLink} connects and listens, on sockets as {@link org.softrdma.siw.tcp.NettyTcpLink};
 * {@link org.softrdma.siw.tcp.StreamCapture} writes streams to a file for
 * Wireshark.
 */
package org.softrdma.siw.tcp;
