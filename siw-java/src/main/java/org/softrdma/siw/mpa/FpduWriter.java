// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.nio.ByteBuffer;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.iwarp.MpaCrc;
import org.softrdma.wire.iwarp.MpaMarker;

/** Frames ULPDUs for the stream: length, pad, markers, CRC. Tracks the position in the stream, as markers stand at fixed distances. */
public final class FpduWriter {
    private static final int BETWEEN_MARKERS = MpaMarker.INTERVAL - MpaMarker.LENGTH;

    private final MpaCrc crc = new MpaCrc();
    private StreamParameters parameters;
    /** Bytes of data until the next marker; 0 if a marker is due. */
    private int untilMarker;

    /** Begins a new stream. */
    public void start(StreamParameters agreed) {
        parameters = agreed;
        untilMarker = 0;
    }

    /** Whether the buffer has room for the frame of a ULPDU of this length. */
    public boolean hasRoom(StreamBuffer out, int ulpduLength) {
        int length = Fpdu.length(ulpduLength);
        return out.hasRoom(length + (parameters.markersOut() ? MpaMarker.LENGTH * (length / BETWEEN_MARKERS + 1) : 0));
    }

    /** Returns the offset at which the ULPDU must be written, after {@link #hasRoom} returned true. */
    public int begin(StreamBuffer out) {
        return out.end() + Fpdu.HEADER_LENGTH;
    }

    /** Frames the ULPDU that was written at {@link #begin}. */
    public void finish(StreamBuffer out, int ulpduLength) {
        ByteBuffer b = out.bytes();
        int at = out.end();
        Fpdu.putUlpduLength(b, at, ulpduLength);
        int end = at + Fpdu.HEADER_LENGTH + ulpduLength;
        for (int pad = Fpdu.padLength(ulpduLength); pad > 0; pad--) {
            b.put(end++, (byte) 0);
        }
        end += Fpdu.CRC_LENGTH;
        if (parameters.markersOut()) {
            end = insertMarkers(b, at, end);
        }
        // RFC 5044 §4.4: without CRC the field is present all the same, and the receiver ignores it.
        MpaCrc.put(b, end - Fpdu.CRC_LENGTH, parameters.crc() ? crc.of(b, at, end - Fpdu.CRC_LENGTH) : 0);
        out.wrote(end - at);
    }

    /**
     * Moves the frame's bytes apart, the last ones first, and writes the markers between them. RFC 5044 §4.3
     *
     * @return the new end
     */
    private int insertMarkers(ByteBuffer b, int at, int end) {
        int length = end - at;
        int first = untilMarker;
        if (first >= length) {
            untilMarker = first - length;
            return end;
        }
        int count = (length - first - 1) / BETWEEN_MARKERS + 1;
        int from = first + (count - 1) * BETWEEN_MARKERS;
        untilMarker = BETWEEN_MARKERS - (length - from);
        int chunk = length - from;
        // If a marker comes first, the length field stands behind it.
        int lengthField = first == 0 ? MpaMarker.LENGTH : 0;
        for (int i = count - 1; i >= 0; i--) {
            int marker = from + i * MpaMarker.LENGTH;
            b.put(at + marker + MpaMarker.LENGTH, b, at + from, chunk);
            MpaMarker.put(b, at + marker, Math.max(0, marker - lengthField));
            from -= BETWEEN_MARKERS;
            chunk = BETWEEN_MARKERS;
        }
        return end + count * MpaMarker.LENGTH;
    }
}
