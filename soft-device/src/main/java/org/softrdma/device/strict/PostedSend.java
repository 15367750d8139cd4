// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WrOpcode;

/**
 * A send work request as it was posted.
 *
 * @param completes it will complete, unless it is lost in a reset
 * @param request   names it in findings: queue pair, wr_id and the place of the call
 */
record PostedSend(WrOpcode opcode, boolean completes, String request, long[] addresses, int[] lengths, int[] lkeys, long checksum) {
    /** Checksum of a request whose memory the device does not read. */
    static final long NONE = -1;

    /** @param checksum of the memory that the device reads, or {@link #NONE} */
    static PostedSend of(SendRequest request, boolean signalAll, String name, long checksum) {
        int elements = (request.flags() & SendFlags.INLINE) != 0 ? 0 : request.elements();
        long[] addresses = new long[elements];
        int[] lengths = new int[elements];
        int[] lkeys = new int[elements];
        for (int i = 0; i < elements; i++) {
            addresses[i] = request.address(i);
            lengths[i] = request.length(i);
            lkeys[i] = request.lkey(i);
        }
        return new PostedSend(request.opcode(), signalAll || (request.flags() & SendFlags.SIGNALED) != 0, name, addresses, lengths, lkeys,
            checksum);
    }

    boolean names(int lkey) {
        for (int each : lkeys) {
            if (each == lkey) {
                return true;
            }
        }
        return false;
    }
}
