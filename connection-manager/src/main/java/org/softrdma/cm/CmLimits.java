// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;

/** Checks the connection parameters of a program, and replaces {@link ConnectionParameters#MAX} by limits of the device. */
public final class CmLimits {
    private static final int LAST_QPN = 0xffffff;

    private CmLimits() {
    }

    /**
     * Checks the ranges, and replaces {@link ConnectionParameters#MAX} by the limits of the device.
     *
     * @param verb for the message
     * @throws VerbsException EINVAL
     */
    public static ConnectionParameters check(String verb, ConnectionParameters wanted, DeviceAttributes device) {
        ConnectionParameters full = wanted.withReads(
            limited(verb, "responder_resources", wanted.responderResources(), device.maxQpRdAtom()),
            limited(verb, "initiator_depth", wanted.initiatorDepth(), device.maxQpInitRdAtom()));
        requireRange(verb, "retry_count", full.retryCount(), ConnectionParameters.MAX_RETRIES);
        requireRange(verb, "rnr_retry_count", full.rnrRetryCount(), ConnectionParameters.MAX_RETRIES);
        requireRange(verb, "qp_num", full.qpNum(), LAST_QPN);
        return full;
    }

    /** Checks the parameters of an answer as {@link #check} does, but with the request of the peer as a further limit. */
    public static ConnectionParameters checkAnswer(ConnectionParameters wanted, ConnectionParameters asked, DeviceAttributes device) {
        return check("accept", wanted.withReads(
            orAsked(wanted.responderResources(), asked.responderResources(), device.maxQpRdAtom()),
            orAsked(wanted.initiatorDepth(), asked.initiatorDepth(), device.maxQpInitRdAtom())), device);
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

    /**
     * Requires that a value is in 0..{@code limit}.
     *
     * @throws VerbsException EINVAL
     */
    public static void requireRange(String verb, String what, int value, int limit) {
        if (value < 0 || value > limit) {
            throw new VerbsException(Errno.EINVAL, verb, what + " " + value + " is not in 0.." + limit);
        }
    }
}
