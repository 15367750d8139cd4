// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.tools.cli.Console;

/** Named values in columns, each in the unit that makes it shortest, with as many digits as the user wants. */
final class ResultTable {
    private static final int STEP = 1000;
    private static final int KIBI = 1024;
    private static final double NS_PER_SECOND = 1e9;
    private static final int PER_CENT = 100;

    private static final String[] COSTS = {"ns/GB", "us/GB", "ms/GB", "sec/GB"};
    private static final String[] RATES = {"/sec", "K/sec", "M/sec", "G/sec", "T/sec"};
    private static final String[] COUNTS = {"", "thousand", "million", "billion", "trillion"};
    private static final String[] BITS = {"bits/sec", "Kb/sec", "Mb/sec", "Gb/sec", "Tb/sec"};
    private static final String[] BYTES = {"bytes/sec", "KB/sec", "MB/sec", "GB/sec", "TB/sec"};
    private static final String[] SIZES = {"bytes", "KB", "MB", "GB", "TB"};
    private static final String[] BINARY_SIZES = {"KiB", "MiB", "GiB", "TiB"};
    private static final String[] TIMES = {"ns", "us", "ms", "sec"};

    /** @param unit null of texts @param exact the same in bytes, or null */
    private record Row(String name, String data, String unit, String exact) {
    }

    private final Display display;
    private final List<Row> rows = new ArrayList<>();

    ResultTable(Display display) {
        this.display = display;
    }

    void text(String name, String value) {
        rows.add(new Row(name, value, null, null));
    }

    /** @param seconds of processor time for a gigabyte */
    void cost(String name, double seconds) {
        scaled(name, seconds * NS_PER_SECOND, COSTS);
    }

    /** @param processors busy, 1 being one of them */
    void processors(String name, double processors) {
        add(name, processors * PER_CENT, "% cpus");
    }

    void rate(String name, double perSecond) {
        scaled(name, perSecond, RATES);
    }

    void time(String name, double seconds) {
        scaled(name, seconds * NS_PER_SECOND, TIMES);
    }

    void bandwidth(String name, double bytesPerSecond) {
        scaled(name, display.bits ? bytesPerSecond * Byte.SIZE : bytesPerSecond, display.bits ? BITS : BYTES);
    }

    /** Below a million as it is. */
    void count(String name, long value) {
        if (value < STEP * STEP) {
            add(name, value, COUNTS[0]);
        } else {
            scaled(name, value, COUNTS);
        }
    }

    /** Whole multiples of powers of 1024 as such, with the bytes beside them. */
    void size(String name, long bytes) {
        if (display.unifyUnits || !binarySize(name, bytes)) {
            scaled(name, bytes, SIZES);
        }
    }

    private boolean binarySize(String name, long bytes) {
        if (bytes < KIBI || bytes % KIBI != 0) {
            return false;
        }
        long value = bytes / KIBI;
        int unit = 0;
        while (value >= KIBI && unit < BINARY_SIZES.length - 1) {
            if (value % KIBI != 0) {
                return false;
            }
            value /= KIBI;
            unit++;
        }
        rows.add(new Row(name, withCommas(Long.toString(value)), BINARY_SIZES[unit], withCommas(Long.toString(bytes))));
        return true;
    }

    private void scaled(String name, double value, String[] units) {
        double scaled = value;
        int unit = 0;
        while (!display.unifyUnits && scaled >= STEP && unit < units.length - 1) {
            scaled /= STEP;
            unit++;
        }
        add(name, scaled, units[unit]);
    }

    private void add(String name, double value, String unit) {
        rows.add(new Row(name, withCommas(digits(value)), unit, null));
    }

    /** As many digits as wanted, but all those before the point; no zeros at the end of a fraction. */
    private String digits(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";     // of a peer whose counts make no sense
        }
        // The exact value of the double, half to even: as C prints it.
        BigDecimal exact = new BigDecimal(value);
        String whole = exact.setScale(0, RoundingMode.HALF_EVEN).abs().toPlainString();
        int fraction = display.precision - whole.length();
        BigDecimal rounded = exact.setScale(Math.max(0, fraction), RoundingMode.HALF_EVEN);
        return (rounded.signum() == 0 ? BigDecimal.ZERO : rounded.scale() > 0 ? stripFraction(rounded) : rounded).toPlainString();
    }

    private static BigDecimal stripFraction(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    private String withCommas(String number) {
        return display.unifyUnits ? number : number.replaceAll("(?<=[0-9])(?=(?:[0-9]{3})+(?![0-9]))(?<!\\.[0-9]{0,20})", ",");
    }

    /** Prints all rows, one below the other, and forgets them. */
    void print(Console console) {
        int nameWidth = rows.stream().mapToInt(row -> row.name.length()).max().orElse(0);
        int dataWidth = rows.stream().filter(row -> row.unit != null).mapToInt(row -> row.data.length()).max().orElse(0);
        for (Row row : rows) {
            StringBuilder line = new StringBuilder("    ").append(row.name).repeat(' ', nameWidth - row.name.length()).append("  =  ");
            if (row.unit != null) {
                line.repeat(' ', dataWidth - row.data.length()).append(row.data).append(' ').append(row.unit);
            } else {
                line.append(row.data);
            }
            console.println(row.exact == null ? line.toString() : line + " (" + row.exact + ")");
        }
        rows.clear();
    }
}
