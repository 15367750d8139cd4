// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import org.softrdma.recording.Track;
import org.softrdma.verbs.Gid;

/** Rebuilds a packet from what a transport's machine reported of it. */
@FunctionalInterface
public interface PacketDecoder {
    /**
     * Rebuilds the headers.
     *
     * @param head   the end that sent or received the packet
     * @param opcode u8
     * @param bits   of the transport, without {@link org.softrdma.device.qp.QueuePairObserver#AGAIN}
     * @param psn    u24
     * @param length bytes of the packet
     * @param words  the headers behind the basic one, eight bytes in each: two, or six if more were reported
     */
    Decoded decode(Track.Head head, boolean sent, int opcode, int bits, int psn, int length, long[] words);

    /**
     * Headers of a packet.
     *
     * @param headers bytes as on the wire
     * @param remote  address of the other end if it differs from packet to packet; otherwise null
     * @param lid     LID of the other end on an InfiniBand subnet if it differs from packet to packet; otherwise 0
     */
    record Decoded(byte[] headers, Gid remote, int lid) {
        /** Headers of a packet between the ends of a connection. */
        public Decoded(byte[] headers) {
            this(headers, null, 0);
        }
    }
}
