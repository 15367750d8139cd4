// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

/** Counters of a UDP link, with the names that raw links use for the same. FRAME: received packets that were dropped. */
enum UdpCounter {
    /** Longer than any packet, or than the buffer. */
    FRAME_TOO_LONG
}
