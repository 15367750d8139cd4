// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import org.softrdma.siw.config.MpaOptions;
import org.softrdma.wire.iwarp.Fpdu;

/**
 * What both sides agreed on when the connection was set up.
 *
 * @param crc        frames bear a CRC, in both directions
 * @param markersOut the peer wants markers
 * @param markersIn  we asked for markers
 * @param maxUlpdu   most bytes of a ULPDU that is sent, 128..65535; what is received may always be as long as the length field can say
 */
public record StreamParameters(boolean crc, boolean markersOut, boolean markersIn, int maxUlpdu) {
    /** Room for every header and a few bytes of payload. */
    static final int SMALLEST_MAX_ULPDU = 128;

    /** @param emss payload bytes of a full TCP segment: frames are as long as fits one */
    static StreamParameters of(MpaOptions options, boolean crc, boolean markersOut, int emss) {
        return new StreamParameters(crc, markersOut, options.markers(), Fpdu.maxUlpdu(emss, markersOut));
    }

    public StreamParameters {
        if (maxUlpdu < SMALLEST_MAX_ULPDU || maxUlpdu > 65535) {
            throw new IllegalArgumentException("maxUlpdu " + maxUlpdu);
        }
    }
}
