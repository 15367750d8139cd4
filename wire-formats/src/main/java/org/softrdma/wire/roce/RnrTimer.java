// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

/**
 * The 5-bit RNR NAK timer codes. Code 0 is the longest, 655.36 ms; from 1 (0.01 ms) to 31 (491.52 ms) they grow.
 * Source: IBA vol 1 table 46.
 */
public final class RnrTimer {
    private static final long UNIT_NS = 10_000;

    /** Delay per code, in units of 10 µs. */
    private static final int[] DELAY = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
        16384, 24576, 32768, 49152,
    };

    private RnrTimer() {
    }

    /**
     * How long the requester shall wait at least.
     *
     * @param code 0..31; higher bits are ignored
     * @return nanoseconds, 10 µs .. 655.36 ms
     */
    public static long toNs(int code) {
        return DELAY[code & 31] * UNIT_NS;
    }

    /**
     * The code with the shortest delay that is at least {@code ns}.
     *
     * @param ns nanoseconds; zero and negative ask for the shortest there is, more than 655.36 ms gets the longest there is
     * @return 0..31
     */
    public static int codeFor(long ns) {
        for (int code = 1; code < DELAY.length; code++) {
            if (DELAY[code] * UNIT_NS >= ns) {
                return code;
            }
        }
        return 0;
    }
}
