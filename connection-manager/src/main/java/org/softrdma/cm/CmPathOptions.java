// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

/**
 * Options of an identifier for its packets.
 *
 * @param typeOfService 0..255: traffic class of the path
 * @param ackTimeout    local ACK timeout code 0..31, or {@link #UNSET} for the value computed by the transport
 * @param minRnrTimer   delay code 0..31 of our RNR NAKs, or {@link #UNSET} for the default of the transport
 * @param route         as the transport's {@link CmResolver} found it; null before, and for transports without one
 */
public record CmPathOptions(int typeOfService, int ackTimeout, int minRnrTimer, CmRoute route) {
    public static final int UNSET = -1;
    public static final CmPathOptions DEFAULT = new CmPathOptions(0, UNSET, UNSET);

    /** Options without a route. */
    public CmPathOptions(int typeOfService, int ackTimeout, int minRnrTimer) {
        this(typeOfService, ackTimeout, minRnrTimer, null);
    }

    /**
     * Checks the ranges.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL: out of range
     */
    CmPathOptions withTypeOfService(int tos) {
        CmLimits.requireRange("set_option", "type of service", tos, 0xff);
        return new CmPathOptions(tos, ackTimeout, minRnrTimer, route);
    }

    CmPathOptions withAckTimeout(int code) {
        CmLimits.requireRange("set_option", "ACK timeout", code, 31);
        return new CmPathOptions(typeOfService, code, minRnrTimer, route);
    }

    CmPathOptions withMinRnrTimer(int code) {
        CmLimits.requireRange("set_option", "RNR timer", code, 31);
        return new CmPathOptions(typeOfService, ackTimeout, code, route);
    }

    CmPathOptions withRoute(CmRoute found) {
        return new CmPathOptions(typeOfService, ackTimeout, minRnrTimer, found);
    }
}
