// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Names of the bits of a flag word, for messages and {@code toString}. */
final class BitNames {
    private BitNames() {
    }

    /**
     * Lists the names of the bits that are set, lowest first; bits without a name follow as one hexadecimal number.
     *
     * @param names of bit 0 and up; null for a bit without a name
     * @return empty for 0
     */
    static String list(int bits, String separator, String... names) {
        StringBuilder text = new StringBuilder();
        int unknown = bits;
        for (int bit = 0; bit < names.length; bit++) {
            if ((bits & 1 << bit) != 0 && names[bit] != null) {
                text.append(text.isEmpty() ? "" : separator).append(names[bit]);
                unknown &= ~(1 << bit);
            }
        }
        if (unknown != 0) {
            text.append(text.isEmpty() ? "" : separator).append("0x").append(Integer.toHexString(unknown));
        }
        return text.toString();
    }
}
