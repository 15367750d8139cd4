// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import org.softrdma.tools.cli.Console;

/**
 * Test of one line of the table.
 *
 * @param name          at most nine letters
 * @param transferSize  bytes of a transfer
 * @param transferCount transfers in one direction before those in the other one
 * @param iterations    repetitions of both directions
 */
record Run(String name, int transferSize, int transferCount, int iterations) {
    private static final int KILO = 1 << 10;
    private static final int MEGA = 1 << 20;
    private static final int GIGA = 1 << 30;

    /** Test with one transfer at a time. */
    static Run latency(int size) {
        return new Run(sizeText(size) + "_lat", size, 1, countFor(size));
    }

    /** Test with many transfers in one direction. */
    static Run bandwidth(int size) {
        return new Run(sizeText(size) + "_bw", size, countFor(size), 1);
    }

    private static int countFor(int size) {
        if (size >= MEGA) {
            return 100;
        }
        if (size >= 1 << 16) {
            return 1000;
        }
        return size >= KILO ? 10_000 : 100_000;
    }

    static void printHead(Console console) {
        console.printf("%-10s%-8s%-8s%-8s%-8s%8s %10s%13s\n", "name", "bytes", "xfers", "iters", "total", "time", "Gb/sec", "usec/xfer");
    }

    /** Prints the result, computed in single precision as by the original. */
    void print(Console console, long elapsedNs) {
        float us = elapsedNs / 1000;
        long bytes = (long) iterations * transferCount * transferSize * 2;
        console.printf("%-10s%-8s%-8s%-8s%-8s", name, sizeText(transferSize), countText(transferCount), countText(iterations),
            sizeText(bytes));
        console.printf("%8.2fs%10.2f%11.2f\n", us / 1e6, bytes * 8 / (1000. * us), us / iterations / (transferCount * 2));
    }

    /** @return the size with a unit, such as {@code 1.5k}; the fraction only below ten units */
    static String sizeText(long size) {
        if (size >= GIGA) {
            return sizeText(size, GIGA) + "g";
        }
        if (size >= MEGA) {
            return sizeText(size, MEGA) + "m";
        }
        return size >= KILO ? sizeText(size, KILO) + "k" : Long.toString(size);
    }

    private static String sizeText(long size, long unit) {
        long tenths = size / unit < 10 ? size % unit * 10 / unit : 0;
        return size / unit + (tenths == 0 ? "" : "." + tenths);
    }

    static String countText(long count) {
        if (count >= 1_000_000_000) {
            return count / 1_000_000_000 + "b";
        }
        if (count >= 1_000_000) {
            return count / 1_000_000 + "m";
        }
        return count >= 1000 ? count / 1000 + "k" : Long.toString(count);
    }
}
