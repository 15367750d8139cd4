// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.sysfs;

/**
 * Speed of a port, from the numbers of its attributes.
 *
 * @param lanes        number of lanes
 * @param laneGigabits speed of one lane, with one digit after the point, as {@code ibv_devinfo} shows it
 * @param name         name of the lane's speed
 */
public record LinkRate(int lanes, String laneGigabits, String name) {
    /**
     * Translates the numbers of {@code struct ibv_port_attr}.
     *
     * @param width {@code active_width}: 1, 2 (4X), 4 (8X), 8 (12X), 16 (2X); others count as 1
     * @param speed {@code active_speed}: 1 SDR, 2 DDR, 4 QDR, 8 FDR10, 16 FDR, 32 EDR, 64 HDR, 128 NDR; others count as SDR
     */
    public static LinkRate of(int width, int speed) {
        int lanes = switch (width) {
            case 2 -> 4;
            case 4 -> 8;
            case 8 -> 12;
            case 16 -> 2;
            default -> 1;
        };
        return switch (speed) {
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
    public String gigabits() {
        double all = lanes * Double.parseDouble(laneGigabits);
        return all == Math.rint(all) ? Long.toString((long) all) : Double.toString(all);
    }

    /** The kernel's form: {@code 2.5 Gb/sec (1X SDR)}. */
    public String kernelText() {
        return gigabits() + " Gb/sec (" + lanes + "X " + name + ")";
    }
}
