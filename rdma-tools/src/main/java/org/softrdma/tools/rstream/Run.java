// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import org.softrdma.tools.cli.Console;

/**
 * One line of the table: so many transfers one way, as many the other way, and all of that again.
 *
 * @param name at most nine letters
 */
record Run(String name, int transferSize, int transferCount, int iterations) {
    private static final int KILO = 1 << 10;
    private static final int MEGA = 1 << 20;
    private static final int GIGA = 1 << 30;

    /** One transfer at a time. */
    static Run latency(int size) {
        return new Run(sizeText(size) + "_lat", size, 1, countFor(size));
    }

    /** Many transfers in one direction. */
    static Run bandwidth(int size) {
        return new Run(sizeText(size) + "_bw", size, countFor(size), 1);
    }

    private static int countFor(int size) {
        return size >= MEGA ? 100 : size >= 1 << 16 ? 1000 : size >= KILO ? 10_000 : 100_000;
    }

    static void printHead(Console console) {
        console.printf("%-10s%-8s%-8s%-8s%-8s%8s %10s%13s\n", "name", "bytes", "xfers", "iters", "total", "time", "Gb/sec", "usec/xfer");
    }

    /** Sums up in single precision, as the original. */
    void print(Console console, long elapsedNs) {
        float us = elapsedNs / 1000;
        long bytes = (long) iterations * transferCount * transferSize * 2;
        console.printf("%-10s%-8s%-8s%-8s%-8s", name, sizeText(transferSize), countText(transferCount), countText(iterations),
            sizeText(bytes));
        console.printf("%8.2fs%10.2f%11.2f\n", us / 1e6, bytes * 8 / (1000. * us), us / iterations / (transferCount * 2));
    }

    /** {@code 1.5k}: a digit behind the point only where one stands before it. */
    static String sizeText(long size) {
        long base = size >= GIGA ? GIGA : size >= MEGA ? MEGA : size >= KILO ? KILO : 1;
        String unit = base == GIGA ? "g" : base == MEGA ? "m" : base == KILO ? "k" : "";
        long tenths = size / base < 10 ? size % base * 10 / base : 0;
        return size / base + (tenths == 0 ? "" : "." + tenths) + unit;
    }

    static String countText(long count) {
        return count >= 1_000_000_000 ? count / 1_000_000_000 + "b"
            : count >= 1_000_000 ? count / 1_000_000 + "m"
            : count >= 1000 ? count / 1000 + "k"
            : Long.toString(count);
    }
}
