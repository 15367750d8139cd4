// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.util.Arrays;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/**
 * A set of attributes, by their numbers.
 *
 * @param low    attributes 0..63
 * @param high   attributes 64..127
 * @param beyond whether there are others, which nobody knows
 */
record AttributeSet(long low, long high, boolean beyond) {
    private static final int MAX_WORDS = 16;

    static AttributeSet of(int... numbers) {
        long low = 0;
        long high = 0;
        for (int each : numbers) {
            low |= each < 64 ? 1L << each : 0;
            high |= each < 64 ? 0 : 1L << each - 64;
        }
        return new AttributeSet(low, high, false);
    }

    static AttributeSet read(XdrReader arguments) {
        int words = arguments.u32();
        long[] all = new long[MAX_WORDS];
        if (words < 0 || words > MAX_WORDS) {
            throw XdrException.unknown("a set of attributes of " + Integer.toUnsignedString(words) + " words");
        }
        for (int i = 0; i < words; i++) {
            all[i] = arguments.u32() & 0xffffffffL;
        }
        return new AttributeSet(all[0] | all[1] << 32, all[2] | all[3] << 32, Arrays.stream(all, 4, MAX_WORDS).anyMatch(each -> each != 0));
    }

    void write(XdrWriter results) {
        int words = high >>> 32 != 0 ? 4 : high != 0 ? 3 : low >>> 32 != 0 ? 2 : low != 0 ? 1 : 0;
        results.u32(words);
        for (int i = 0; i < words; i++) {
            results.u32((int) ((i < 2 ? low : high) >>> 32 * (i & 1)));
        }
    }

    boolean has(int number) {
        return ((number < 64 ? low >>> number : high >>> number - 64) & 1) != 0;
    }

    AttributeSet or(AttributeSet other) {
        return new AttributeSet(low | other.low, high | other.high, beyond || other.beyond);
    }

    AttributeSet and(AttributeSet other) {
        return new AttributeSet(low & other.low, high & other.high, beyond && other.beyond);
    }

    /** Whether all attributes are in another set. */
    boolean isWithin(AttributeSet other) {
        return !beyond && (low & ~other.low) == 0 && (high & ~other.high) == 0;
    }
}
