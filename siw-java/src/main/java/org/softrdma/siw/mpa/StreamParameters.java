// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import org.softrdma.siw.config.MpaOptions;
import org.softrdma.wire.iwarp.Fpdu;

/**
 * Framing that both sides agreed on when the connection was set up.
 *
 * @param crc        frames contain a CRC, in both directions
 * @param markersOut the peer requested markers
 * @param markersIn  we requested markers
 * @param maxUlpdu   longest ULPDU that is sent, in bytes, 128..65535; received ones may always have any length up to 65535
 */
public record StreamParameters(boolean crc, boolean markersOut, boolean markersIn, int maxUlpdu) {
    /** Smallest ULPDU limit: room for every header and a few bytes of payload. */
    static final int SMALLEST_MAX_ULPDU = 128;

    /** @param emss payload bytes of a full TCP segment: a frame is at most as long */
    static StreamParameters of(MpaOptions options, boolean crc, boolean markersOut, int emss) {
        return new StreamParameters(crc, markersOut, options.markers(), Fpdu.maxUlpdu(emss, markersOut));
    }

    public StreamParameters {
        if (maxUlpdu < SMALLEST_MAX_ULPDU || maxUlpdu > 65535) {
            throw new IllegalArgumentException("maxUlpdu " + maxUlpdu);
        }
    }
}
