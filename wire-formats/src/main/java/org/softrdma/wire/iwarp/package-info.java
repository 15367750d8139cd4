// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes of iWARP: MPA's start-up frames, framing, markers and CRC; DDP's two headers; RDMAP's messages.
 *
 * <p>Headers are stateless flyweights over a big-endian buffer and the offset of their first byte, and check
 * nothing: {@link org.softrdma.wire.iwarp.MpaFrame#check} and {@link org.softrdma.wire.iwarp.UlpduCheck} do, once at the edge.
 * Sources: RFC 5044 (MPA), RFC 6581 (its enhanced start-up), RFC 5041 (DDP), RFC 5040 (RDMAP), RFC 7306 (atomics, immediate data).
 */
package org.softrdma.wire.iwarp;
