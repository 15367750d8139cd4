// SPDX-License-Identifier: Apache-2.0
/**
 * Byte streams over RDMA connections with the protocol of librdmacm's rsockets. Programs use {@link RSocketChannel} and
 * {@link RServerSocketChannel}; the peer may be any program that uses rsockets. Runs on the connection manager and the verbs of any
 * provider.
 *
 * <p>On the wire: each end grants the other one a ring of memory, half a ring at a time. Data are RDMA WRITEs into the peer's ring, whose
 * immediate data give the number of bytes. A WRITE of 16 bytes grants a half of the ring again, and credits keep the number of messages
 * below that of posted receives.
 *
 * <p>Reading order: {@link RSocketChannel}, {@link RSocketConnection} (connecting and closing), {@link StreamLock} (waiting),
 * {@link StreamEndpoint} (the queue pair), {@code org.softrdma.rsocket.stream.StreamMachine} (the protocol), {@link ConnectionEvents}.
 */
package org.softrdma.rsocket;
