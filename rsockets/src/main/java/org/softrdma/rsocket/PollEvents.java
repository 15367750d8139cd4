// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

/** What {@link RSocketChannel#poll} waits for and answers; {@code poll(2)}'s numbers. */
public final class PollEvents {
    /** A read would not be 0: data, the end of the stream, or its failure. */
    public static final int IN = 0x01;
    /** A write would take something. */
    public static final int OUT = 0x04;
    /** The stream failed. Always waited for. */
    public static final int ERR = 0x08;
    /** The stream was ended by one of its ends. Always waited for. */
    public static final int HUP = 0x10;

    private PollEvents() {
    }
}
