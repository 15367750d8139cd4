// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Cuts one direction of a stream into ULPDUs, and checks all that MPA adds: markers, pad and CRC. Shares no code with the devices. Source:
 * RFC 5044 §4.
 */
final class FpduCutter {
    private static final int MARKER_DISTANCE = 512;
    private static final int LENGTH_BYTES = 2;
    private static final int CRC_BYTES = 4;
    private static final int LONGEST = LENGTH_BYTES + 0xffff + 3 + CRC_BYTES;

    private final boolean crc;
    private final boolean markers;
    private final Handler handler;
    private final CRC32C sum = new CRC32C();
    /** The current frame without its markers. */
    private final byte[] frame = new byte[LONGEST];
    private int filled;
    /** Position of the frame's length field. */
    private long frameAt;
    /** Bytes of the stream so far. */
    private long position;
    private int marker;

    /** Receiver of the ULPDUs. */
    interface Handler {
        /** @param endsAt position in the stream behind the frame */
        void onUlpdu(byte[] ulpdu, long endsAt);

        /** Reports a violation of MPA. */
        void onBadFrame(String what);
    }

    FpduCutter(boolean crc, boolean markers, Handler handler) {
        this.crc = crc;
        this.markers = markers;
        this.handler = handler;
    }

    void accept(byte[] bytes) {
        for (byte each : bytes) {
            if (markers && position % MARKER_DISTANCE < CRC_BYTES) {
                acceptMarker(each);
            } else {
                acceptFrame(each);
            }
            position++;
        }
    }

    /** Whether the stream stands between two frames. */
    boolean isAtBoundary() {
        return filled == 0;
    }

    /** A marker before a frame belongs to that frame's CRC. */
    private void acceptMarker(byte each) {
        marker = marker << 8 | each & 0xff;
        sum.update(each);
        int index = (int) (position % MARKER_DISTANCE);
        if (index == CRC_BYTES - 1) {
            long due = filled == 0 ? 0 : position - index - frameAt;
            if (marker != due) {
                handler.onBadFrame("marker at " + (position - index) + " is 0x" + Integer.toHexString(marker) + " instead of " + due);
            }
        }
    }

    private void acceptFrame(byte each) {
        if (filled == 0) {
            frameAt = position;
        }
        if (filled < LENGTH_BYTES || filled < frameBytes() - CRC_BYTES) {
            sum.update(each);
        }
        frame[filled++] = each;
        if (filled > LENGTH_BYTES && filled == frameBytes()) {
            end();
        }
    }

    private int ulpduBytes() {
        return (frame[0] & 0xff) << 8 | frame[1] & 0xff;
    }

    private int frameBytes() {
        return (LENGTH_BYTES + ulpduBytes() + 3) / 4 * 4 + CRC_BYTES;
    }

    private void end() {
        int behind = LENGTH_BYTES + ulpduBytes();
        int crcAt = filled - CRC_BYTES;
        for (int i = behind; i < crcAt; i++) {
            if (frame[i] != 0) {
                handler.onBadFrame("pad of 0x" + Integer.toHexString(frame[i] & 0xff) + " at " + frameAt);
            }
        }
        int due = crc ? (int) sum.getValue() : 0;
        int found = frame[crcAt] & 0xff | (frame[crcAt + 1] & 0xff) << 8 | (frame[crcAt + 2] & 0xff) << 16 | frame[crcAt + 3] << 24;
        if (found != due) {
            handler.onBadFrame("CRC of the frame at " + frameAt + " is 0x" + Integer.toHexString(found) + " instead of 0x"
                + Integer.toHexString(due));
        }
        sum.reset();
        filled = 0;
        handler.onUlpdu(Arrays.copyOfRange(frame, LENGTH_BYTES, behind), position + 1);
    }
}
