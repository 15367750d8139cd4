// SPDX-License-Identifier: Apache-2.0
/**
 * The ABI of {@code /dev/infiniband/umadN}, version 5: management datagrams of programs. Source: {@code ib_user_mad.h} of
 * {@code linux-libc-dev}.
 *
 * <p>Reading order: {@link org.softrdma.abi.umad.UmadIoctl}; {@link org.softrdma.abi.umad.UmadRegisterAgent2}, which datagrams an agent
 * receives; {@link org.softrdma.abi.umad.UmadHeader}, what stands before each datagram.
 */
package org.softrdma.abi.umad;
