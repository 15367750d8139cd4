// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Range of seeds, {@code A..B} with both included; {@code A} alone is {@code A..A}. */
record SeedRange(long from, long to) {
    static final class Converter implements ITypeConverter<SeedRange> {
        @Override
        public SeedRange convert(String text) {
            int dots = text.indexOf("..");
            try {
                long from = Long.parseLong(dots < 0 ? text : text.substring(0, dots));
                long to = dots < 0 ? from : Long.parseLong(text.substring(dots + 2));
                // Below the largest long: counting beyond the end must not overflow.
                if (from <= to && to < Long.MAX_VALUE) {
                    return new SeedRange(from, to);
                }
            } catch (NumberFormatException notANumber) {
                throw new TypeConversionException("'" + text + "' is not a range of seeds; write 1..2000");
            }
            throw new TypeConversionException("'" + text + "' is no range of seeds: the first number must not be above the second");
        }
    }
}
