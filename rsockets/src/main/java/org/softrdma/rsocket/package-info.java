// SPDX-License-Identifier: Apache-2.0
/**
 * Byte streams over RDMA connections, as librdmacm's rsockets make them: {@link org.softrdma.rsocket.RSocketChannel} and
 * {@link org.softrdma.rsocket.RServerSocketChannel} are what programs use, and the peer may be any program on rsockets. Runs on the
 * connection manager and the verbs of whatever provider there is.
 *
 * <p>On the wire: each end opens a ring of memory to the other, half a ring at a time, and writes into the other's with RDMA WRITEs whose
 * immediate data says how many bytes came. Another 16 bytes written say that a half is free again; credits keep the messages fewer than
 * the receives. {@link StreamMachine} is that, without clock, socket or thread; {@link StreamEndpoint} does with verbs what it asks for.
 */
package org.softrdma.rsocket;
