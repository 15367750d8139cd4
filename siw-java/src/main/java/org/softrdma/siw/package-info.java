// SPDX-License-Identifier: Apache-2.0
/**
 * iWARP devices: RDMA over TCP connections of the host (RFC 5040, 5041, 5044, 6581, 7306).
 *
 * <p>Reading order. The device: {@link org.softrdma.siw.SiwDevice}, {@link org.softrdma.siw.RunningSiw}, and
 * {@link org.softrdma.siw.SiwEngine}, whose {@code doWork} is one round. A connection: {@link org.softrdma.siw.SiwCm} and
 * {@link org.softrdma.siw.SiwCmConnection} for the connection manager, {@link org.softrdma.siw.Handshake} from the first byte to the
 * agreement, then {@link org.softrdma.siw.SiwConnection}, which joins a stream ({@code org.softrdma.siw.tcp}), its frames
 * ({@code org.softrdma.siw.mpa}) and a queue pair's machine ({@code org.softrdma.siw.qp}). Programs need {@link org.softrdma.siw.Siw} only.
 */
package org.softrdma.siw;
