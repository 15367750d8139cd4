// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Destination of completions: a completion queue as the protocol machines see it. Called by the device's owner only. */
public interface CompletionSink {
    /**
     * Position of the service level in the flags. Over Ethernet, where there is no service level, a datagram's completion has the type of
     * its packet in this place, as those of ConnectX adapters have and as UCX relies on: bit 3 is set for RoCE v2, bits 0 to 2 are 1 for
     * IPv6, 2 for IPv4. That it is reported is asked for by IBA annex A17.4.5.1; kernel rxe reports 0 always.
     */
    int SL_SHIFT = 5;
    /** Position, in the flags, of the low bits of the LID that a datagram was sent to, 7 bits. */
    int PATH_BITS_SHIFT = 9;
    /** Position, in the flags, of the LID of a datagram's sender, 16 bits; 0 on Ethernet. */
    int SLID_SHIFT = 16;

    /** Returns the bits of {@link org.softrdma.verbs.WcFlags} among flags. */
    static int wcFlags(int flags) {
        return flags & (1 << SL_SHIFT) - 1;
    }

    /** Returns the service level among flags, 4 bits. */
    static int serviceLevel(int flags) {
        return flags >>> SL_SHIFT & 0xf;
    }

    /** Returns the low bits of the LID that a datagram was sent to, 7 bits. */
    static int pathBits(int flags) {
        return flags >>> PATH_BITS_SHIFT & 0x7f;
    }

    /** Returns the LID of a datagram's sender among flags, u16. */
    static int slid(int flags) {
        return flags >>> SLID_SHIFT;
    }

    /**
     * Adds a completion.
     *
     * @param immediate immediate data, or the key that was invalidated; 0 without
     * @param qpNum     queue pair whose work request completes, 24 bits
     * @param sourceQp  sender of a datagram, 24 bits; 0 for connected services
     * @param flags     bits of {@link org.softrdma.verbs.WcFlags}; of a datagram also its service level, path bits and SLID
     * @param solicited the peer requested an event; failures count as solicited in any case
     * @return false if the queue overran: the completion is lost, CQ_ERR was raised, and the queue pair must go to ERR
     */
    boolean push(long wrId, WcStatus status, WcOpcode opcode, int byteLength, int immediate, int qpNum, int sourceQp, int flags,
                 boolean solicited);

    /**
     * Adds the completion of a failure with a detail. A sink that has no place for the detail drops it.
     *
     * @param vendorError detail of the failure
     * @return as {@link #push}
     */
    default boolean pushFailure(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int qpNum) {
        return push(wrId, status, opcode, 0, 0, qpNum, 0, 0, false);
    }
}
