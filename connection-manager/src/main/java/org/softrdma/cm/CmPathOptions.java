// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

/**
 * Options of an identifier for its packets.
 *
 * @param typeOfService 0..255: traffic class of the path
 * @param ackTimeout    local ACK timeout code 0..31, or {@link #UNSET} for the value computed by the transport
 * @param minRnrTimer   delay code 0..31 of our RNR NAKs, or {@link #UNSET} for the default of the transport
 */
public record CmPathOptions(int typeOfService, int ackTimeout, int minRnrTimer) {
    public static final int UNSET = -1;
    public static final CmPathOptions DEFAULT = new CmPathOptions(0, UNSET, UNSET);

    /**
     * Checks the ranges.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL: out of range
     */
    CmPathOptions withTypeOfService(int tos) {
        CmLimits.requireRange("set_option", "type of service", tos, 0xff);
        return new CmPathOptions(tos, ackTimeout, minRnrTimer);
    }

    CmPathOptions withAckTimeout(int code) {
        CmLimits.requireRange("set_option", "ACK timeout", code, 31);
        return new CmPathOptions(typeOfService, code, minRnrTimer);
    }

    CmPathOptions withMinRnrTimer(int code) {
        CmLimits.requireRange("set_option", "RNR timer", code, 31);
        return new CmPathOptions(typeOfService, ackTimeout, code);
    }
}
