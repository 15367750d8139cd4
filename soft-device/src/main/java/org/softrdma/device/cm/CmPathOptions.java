// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

/**
 * What an identifier was set to, of its packets.
 *
 * @param typeOfService 0..255: traffic class of the path
 * @param ackTimeout    local ACK timeout code 0..31, or {@link #UNSET}: as the transport computes it
 * @param minRnrTimer   delay code 0..31 of our receiver-not-ready, or {@link #UNSET}: as the transport has it
 */
public record CmPathOptions(int typeOfService, int ackTimeout, int minRnrTimer) {
    public static final int UNSET = -1;
    public static final CmPathOptions DEFAULT = new CmPathOptions(0, UNSET, UNSET);
}
