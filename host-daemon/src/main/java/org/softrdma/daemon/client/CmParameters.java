// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;

/** Checks of connection parameters before they are cut to the widths of the kernel's fields. */
final class CmParameters {
    private static final int LAST_QPN = 0xffffff;

    private CmParameters() {
    }

    /**
     * Checks the ranges, replaces {@link ConnectionParameters#MAX} by the limits of the device, and fills in the queue pair.
     *
     * @param own null if the parameters name the queue pair
     * @throws VerbsException EINVAL
     */
    static ConnectionParameters check(String verb, ConnectionParameters wanted, DeviceAttributes device, CmIdQueues own) {
        ConnectionParameters full = wanted.withReads(
            limited(verb, "responder_resources", wanted.responderResources(), device.maxQpRdAtom()),
            limited(verb, "initiator_depth", wanted.initiatorDepth(), device.maxQpInitRdAtom()));
        requireRange(verb, "retry_count", full.retryCount(), ConnectionParameters.MAX_RETRIES);
        requireRange(verb, "rnr_retry_count", full.rnrRetryCount(), ConnectionParameters.MAX_RETRIES);
        requireRange(verb, "qp_num", full.qpNum(), LAST_QPN);
        return own == null ? full : full.withQp(own.qp().qpNum(), own.hasSharedReceives());
    }

    /** Checks the parameters of an answer as {@link #check} does, with the request of the peer as a further limit. */
    static ConnectionParameters checkAnswer(ConnectionParameters wanted, ConnectionParameters asked, DeviceAttributes device,
                                            CmIdQueues own) {
        return check("accept", wanted.withReads(orAsked(wanted.responderResources(), asked.responderResources(), device.maxQpRdAtom()),
            orAsked(wanted.initiatorDepth(), asked.initiatorDepth(), device.maxQpInitRdAtom())), device, own);
    }

    private static int orAsked(int wanted, int asked, int limit) {
        return wanted == ConnectionParameters.MAX ? Math.min(asked, limit) : wanted;
    }

    private static int limited(String verb, String what, int value, int limit) {
        if (value == ConnectionParameters.MAX) {
            return Math.min(limit, ConnectionParameters.MAX - 1);
        }
        requireRange(verb, what, value, limit);
        return value;
    }

    private static void requireRange(String verb, String what, int value, int limit) {
        if (value < 0 || value > limit) {
            throw new VerbsException(Errno.EINVAL, verb, what + ' ' + value + " is not in 0.." + limit);
        }
    }
}
