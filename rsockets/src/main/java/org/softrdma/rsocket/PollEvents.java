// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

/** Events that {@link RSocketChannel#poll} waits for and returns, with the numbers of {@code poll(2)}. */
public final class PollEvents {
    /** A read would not return 0: data, the end of the stream, or its failure. */
    public static final int IN = 0x01;
    /** A write would not return 0. */
    public static final int OUT = 0x04;
    /** The stream failed. Reported even if not requested. */
    public static final int ERR = 0x08;
    /** One of the two ends closed the stream. Reported even if not requested. */
    public static final int HUP = 0x10;

    private PollEvents() {
    }
}
