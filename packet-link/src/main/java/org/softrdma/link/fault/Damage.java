// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import java.nio.ByteBuffer;
import org.softrdma.device.SeededRandom;

/** Changes to the bytes of one copy of a packet: drawn first, then applied one by one, so that each can be counted and reported. */
public final class Damage {
    /** Maximum bytes an extension adds. */
    public static final int MAX_EXTENSION = 32;

    private boolean flipped;
    private boolean truncated;
    private boolean extended;
    private int bit;
    private int shorter;
    private int more;

    /** Creates a damage of nothing. */
    public Damage() {
    }

    /**
     * Draws the changes.
     *
     * @param random source of chance
     * @param plan   rates
     * @param length of the copy, from BTH to ICRC
     */
    public void draw(SeededRandom random, FaultPlan plan, int length) {
        flipped = random.chance(plan.bitFlip());
        bit = random.below(Math.max(1, length * 8));
        truncated = random.chance(plan.truncation());
        shorter = random.below(Math.max(1, length));
        extended = random.chance(plan.extension());
        more = 1 + random.below(MAX_EXTENSION);
        if (length == 0) {
            flipped = false;
            truncated = false;
        }
    }

    /** {@return whether the copy is changed in any way} */
    public boolean isAny() {
        return flipped || truncated || extended;
    }

    /** {@return whether one bit of the copy is inverted} */
    public boolean isFlipped() {
        return flipped;
    }

    /** {@return whether the copy loses bytes at its end} */
    public boolean isTruncated() {
        return truncated;
    }

    /** {@return whether bytes are added to the copy} Truncation takes precedence. */
    public boolean isExtended() {
        return extended && !truncated;
    }

    /**
     * Inverts the drawn bit.
     *
     * @param buffer has the copy
     * @param offset of the BTH
     */
    public void flip(ByteBuffer buffer, int offset) {
        int at = offset + (bit >> 3);
        buffer.put(at, (byte) (buffer.get(at) ^ 1 << (bit & 7)));
    }

    /** {@return the drawn length of a truncated copy, 0..length−1} */
    public int truncate() {
        return shorter;
    }

    /**
     * Adds random bytes after the copy.
     *
     * @param random source of the bytes
     * @param buffer has the copy, and room for {@link #MAX_EXTENSION} bytes behind it
     * @param offset of the BTH
     * @param length of the copy, from BTH to ICRC
     * @return the new length
     */
    public int extend(SeededRandom random, ByteBuffer buffer, int offset, int length) {
        for (int i = 0; i < more; i++) {
            buffer.put(offset + length + i, (byte) random.nextLong());
        }
        return length + more;
    }
}
