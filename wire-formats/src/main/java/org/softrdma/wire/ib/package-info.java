// SPDX-License-Identifier: Apache-2.0
/**
 * InfiniBand below and beside the transport: the local route header and the variant CRC of its links, and the datagrams of subnet
 * management ({@link org.softrdma.wire.ib.Smp}), subnet administration ({@link org.softrdma.wire.ib.SaMad}, with
 * {@link org.softrdma.wire.ib.Rmpp}) and performance management ({@link org.softrdma.wire.ib.PerformanceMad}) with their attributes. An
 * attribute is a table of {@link org.softrdma.wire.mad.Field}s that count from its own first byte, since several datagrams carry it.
 */
package org.softrdma.wire.ib;
