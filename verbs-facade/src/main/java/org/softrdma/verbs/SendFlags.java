// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Bits of a send work request ({@code enum ibv_send_flags}). */
public final class SendFlags {
    /** Starts the request after all earlier RDMA READs and atomics of this queue are complete. */
    public static final int FENCE = 1;
    /** Delivers a completion also on success. */
    public static final int SIGNALED = 1 << 1;
    /** Requests a solicited event at the peer when the message completes. */
    public static final int SOLICITED = 1 << 2;
    /** Copies the data during the post call. */
    public static final int INLINE = 1 << 3;
    /** Has the device compute checksums of IP, for raw packets; no device here has those. */
    public static final int IP_CSUM = 1 << 4;

    private SendFlags() {
    }

    /**
     * Names the bits that are set.
     *
     * @param flags bits of this class
     * @return as in {@code FENCE|SIGNALED}; {@code 0} for none
     */
    public static String names(int flags) {
        return flags == 0 ? "0" : BitNames.list(flags, "|", "FENCE", "SIGNALED", "SOLICITED", "INLINE", "IP_CSUM");
    }
}
