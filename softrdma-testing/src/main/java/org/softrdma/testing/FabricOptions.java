// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Options of a {@link Fabric}.
 *
 * @param kinds         one kind for each device, 1 to 250 devices, each as if on a host of its own
 * @param faults        faults of every packet on its way, in the syntax of docs/faults.md without {@code dir} and {@code seed}
 * @param seed          source of everything random: faults, numbers, keys
 * @param mtu           of the interfaces in bytes: 1500 gives path MTUs up to 1024, 4200 up to 4096. Simulated fabrics only
 * @param bitsPerSecond speed of each link, 0 for infinitely fast. Simulated fabrics only
 * @param congestion    congestion control: switches mark packets, devices notify each other. Simulated fabrics only; needs a speed
 */
public record FabricOptions(List<DeviceKind> kinds, String faults, long seed, int mtu, long bitsPerSecond, boolean congestion) {
    /** Maximum number of devices. */
    public static final int MAX_DEVICES = 250;
    /** Two devices of RoCE v2 on a perfect network, seed 1. */
    public static final FabricOptions DEFAULT = new FabricOptions(Collections.nCopies(2, DeviceKind.ROCE_V2), "none", 1, 1500, 0, false);

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if a value is out of range or the faults cannot be understood
     */
    public FabricOptions {
        kinds = List.copyOf(kinds);
        Objects.requireNonNull(faults, "faults");
        if (kinds.isEmpty() || kinds.size() > MAX_DEVICES) {
            throw new IllegalArgumentException(kinds.size() + " devices; a fabric has 1 to " + MAX_DEVICES);
        }
        if (mtu < 576 || mtu > 9000) {
            throw new IllegalArgumentException("mtu " + mtu + " is not in 576..9000");
        }
        if (bitsPerSecond < 0 || congestion && bitsPerSecond == 0) {
            throw new IllegalArgumentException(bitsPerSecond + " bit/s" + (congestion ? "; congestion control needs a speed" : ""));
        }
        FabricFaults.parse(faults);
    }

    /**
     * Replaces the devices by a number of one kind.
     *
     * @param count 1 to {@value #MAX_DEVICES}
     * @param kind  of each
     * @return new options
     */
    public FabricOptions withDevices(int count, DeviceKind kind) {
        return withKinds(Collections.nCopies(count, kind));
    }

    /**
     * Replaces the devices.
     *
     * @param newKinds one for each device
     * @return new options
     */
    public FabricOptions withKinds(List<DeviceKind> newKinds) {
        return new FabricOptions(newKinds, faults, seed, mtu, bitsPerSecond, congestion);
    }

    /**
     * Replaces the faults.
     *
     * @param text as docs/faults.md describes
     * @return new options
     */
    public FabricOptions withFaults(String text) {
        return new FabricOptions(kinds, text, seed, mtu, bitsPerSecond, congestion);
    }

    /**
     * Replaces the seed.
     *
     * @param newSeed source of everything random
     * @return new options
     */
    public FabricOptions withSeed(long newSeed) {
        return new FabricOptions(kinds, faults, newSeed, mtu, bitsPerSecond, congestion);
    }

    /**
     * Replaces the maximum transmission unit.
     *
     * @param bytes 576 to 9000
     * @return new options
     */
    public FabricOptions withMtu(int bytes) {
        return new FabricOptions(kinds, faults, seed, bytes, bitsPerSecond, congestion);
    }

    /**
     * Replaces speed and congestion control.
     *
     * @param newBitsPerSecond speed of each link, 0 for infinitely fast
     * @param newCongestion    whether switches mark packets; needs a speed
     * @return new options
     */
    public FabricOptions withSpeed(long newBitsPerSecond, boolean newCongestion) {
        return new FabricOptions(kinds, faults, seed, mtu, newBitsPerSecond, newCongestion);
    }
}
