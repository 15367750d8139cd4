// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Destination of completions: a completion queue as the protocol machines see it. Called by the device's owner only. */
public interface CompletionSink {
    /**
     * Adds a completion.
     *
     * @param immediate immediate data, or the key that was invalidated; 0 without
     * @param qpNum     queue pair whose work request completes, 24 bits
     * @param sourceQp  sender of a datagram, 24 bits; 0 for connected services
     * @param flags     bits of {@link org.softrdma.verbs.WcFlags}
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
