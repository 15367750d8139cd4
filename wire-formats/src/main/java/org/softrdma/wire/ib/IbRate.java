// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

/** Static rates: codes of path and multicast records, which do not count up with the speed. Source: IBA vol 1 §15.2.5.16, table 224. */
public final class IbRate {
    /** 10 Gbit/s: 4x at 2.5 Gbit/s. */
    public static final int GBPS_10 = 3;

    /** Rates in units of 100 Mbit/s, by code from 2 on. */
    private static final int[] HUNDRED_MBPS = {25, 100, 300, 50, 200, 400, 600, 800, 1200, 140, 560, 1120, 1680, 250, 1000, 2000, 3000, 280,
        500, 4000, 6000, 8000, 12000};
    private static final int FIRST = 2;
    /** Lane widths by LinkWidthActive's bit: 1x, 4x, 8x, 12x, 2x. */
    private static final int[] LANES = {1, 4, 8, 12, 2};
    private static final int LAST = FIRST + HUNDRED_MBPS.length - 1;

    private IbRate() {
    }

    /**
     * {@return whether a code is known}
     *
     * @param code rate code, 6 bits
     */
    public static boolean isKnown(int code) {
        return code >= FIRST && code <= LAST;
    }

    /**
     * {@return rate of a code in units of 100 Mbit/s; 0 for an unknown one}
     *
     * @param code rate code, 6 bits
     */
    public static int hundredMbps(int code) {
        return isKnown(code) ? HUNDRED_MBPS[code - FIRST] : 0;
    }

    /**
     * {@return the code of the greatest rate that is not above {@code hundredMbps}; the least code if all are}
     *
     * @param hundredMbps rate in units of 100 Mbit/s
     */
    public static int codeOf(int hundredMbps) {
        int best = FIRST;
        for (int code = FIRST; code <= LAST; code++) {
            int rate = hundredMbps(code);
            if (rate <= hundredMbps && rate > hundredMbps(best)) {
                best = code;
            }
        }
        return best;
    }

    /**
     * {@return the code of a link}
     *
     * @param width LinkWidthActive: one bit
     * @param speed LinkSpeedActive: one bit
     * @param speedExt LinkSpeedExtActive: one bit, or 0
     */
    public static int ofLink(int width, int speed, int speedExt) {
        int lanes = width == 0 ? 1 : LANES[Math.min(Integer.numberOfTrailingZeros(width), LANES.length - 1)];
        return codeOf(lanes * laneHundredMbps(speed, speedExt));
    }

    private static int laneHundredMbps(int speed, int speedExt) {
        return switch (Integer.highestOneBit(speedExt)) {
            case 1 -> 140;
            case 2 -> 250;
            case 4 -> 500;
            case 8 -> 1000;
            default -> switch (Integer.highestOneBit(speed)) {
                case 2 -> 50;
                case 4 -> 100;
                default -> 25;
            };
        };
    }
}
