// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import org.softrdma.verbs.PortAttributes;

/**
 * Speed of a port as its attributes report it.
 *
 * @param laneGigabits speed of one lane, with one digit after the point, as {@code ibv_devinfo} shows it
 * @param name         name of the lane's speed
 */
record LinkRate(int lanes, String laneGigabits, String name) {
    static LinkRate of(PortAttributes port) {
        int lanes = switch (port.activeWidth()) {
            case 2 -> 4;
            case 4 -> 8;
            case 8 -> 12;
            case 16 -> 2;
            default -> 1;
        };
        return switch (port.activeSpeed()) {
            case 2 -> new LinkRate(lanes, "5.0", "DDR");
            case 4 -> new LinkRate(lanes, "10.0", "QDR");
            case 8 -> new LinkRate(lanes, "10.0", "FDR10");
            case 16 -> new LinkRate(lanes, "14.0", "FDR");
            case 32 -> new LinkRate(lanes, "25.0", "EDR");
            case 64 -> new LinkRate(lanes, "50.0", "HDR");
            case 128 -> new LinkRate(lanes, "100.0", "NDR");
            default -> new LinkRate(lanes, "2.5", "SDR");
        };
    }

    /** Speed of all lanes, without a fraction of 0: {@code 2.5}, {@code 100}. */
    String gigabits() {
        double all = lanes * Double.parseDouble(laneGigabits);
        return all == Math.rint(all) ? Long.toString((long) all) : Double.toString(all);
    }

    /** The kernel's form: {@code 2.5 Gb/sec (1X SDR)}. */
    String kernelText() {
        return gigabits() + " Gb/sec (" + lanes + "X " + name + ")";
    }
}
