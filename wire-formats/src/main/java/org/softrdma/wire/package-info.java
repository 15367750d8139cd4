// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes on the wire, and nothing else: no state, no I/O, no dependencies.
 *
 * <p>Headers are stateless flyweights: static accessors over a buffer {@code b} and {@code at}, the offset of that
 * header's first byte. The buffer must be big-endian (the order every new {@code ByteBuffer} has); access is absolute, so position, limit
 * and order stay as they are. Accessors check nothing: received bytes pass {@link org.softrdma.wire.roce.PacketCheck} or
 * {@link org.softrdma.wire.roce.RoceFrame} once at the edge, after which accessors cannot fail.
 *
 * <p>Numbers: u8, u16 and u24 live in {@code int}; u32 lengths in {@code long}; u32 keys and immediates in {@code int} as raw bits;
 * u64 in {@code long} as raw bits; 128-bit addresses in two {@code long}s, high half first. Setters use the low bits of an argument and
 * ignore the rest.
 *
 * <p>Every {@code put} writes all bytes of its header, the reserved ones as zero, so buffers need no clearing before reuse.
 *
 * <p>Packages by theme: {@code net} below RoCE, {@code roce}, {@code mad} and {@code cm} on top of it, {@code ib} for what InfiniBand has
 * instead of {@code net}, {@code iwarp}, and {@code pcap} for
 * capture files. {@link org.softrdma.wire.CrcPolynomial} serves both ICRC and MPA's CRC.
 */
package org.softrdma.wire;
