// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.ladder;

/** Formats of the bytes of an {@link Arrow}. */
public enum PacketFormat {
    /** From BTH to ICRC. */
    ROCE,
    /** A frame of MPA. */
    IWARP,
    /** A management datagram, 256 bytes; none if they were not kept. */
    MAD,
    /** From LRH to ICRC. */
    LRH
}
