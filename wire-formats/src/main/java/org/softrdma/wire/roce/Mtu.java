// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

/**
 * Path MTU: payload bytes per packet, as the IB enumeration (1 = 256 … 5 = 4096) and in bytes.
 * Source: IBA vol 1 §9.3, {@code enum ibv_mtu}.
 */
public final class Mtu {
    /** 256 bytes. */
    public static final int MTU_256 = 1;
    /** 512 bytes. */
    public static final int MTU_512 = 2;
    /** 1024 bytes. */
    public static final int MTU_1024 = 3;
    /** 2048 bytes. */
    public static final int MTU_2048 = 4;
    /** 4096 bytes, the largest. */
    public static final int MTU_4096 = 5;

    /** Room rxe takes off the netdev MTU for every header it may send. */
    private static final int RXE_HEADROOM = 80;

    private Mtu() {
    }

    /**
     * {@return whether the value is one of the enumeration, 1..5}
     *
     * @param mtuEnum value of the enumeration
     */
    public static boolean isValid(int mtuEnum) {
        return mtuEnum >= MTU_256 && mtuEnum <= MTU_4096;
    }

    /**
     * Bytes of an enumeration value.
     *
     * @param mtuEnum 1..5
     * @return 256..4096
     * @throws IllegalArgumentException if out of range
     */
    public static int toBytes(int mtuEnum) {
        if (!isValid(mtuEnum)) {
            throw new IllegalArgumentException("IB MTU enum " + mtuEnum + " is not 1..5");
        }
        return 128 << mtuEnum;
    }

    /**
     * The enumeration value of exactly this many bytes.
     *
     * @param bytes MTU in bytes
     * @return 1..5, or 0 if {@code bytes} is not 256, 512, 1024, 2048 or 4096
     */
    public static int fromBytes(int bytes) {
        int floor = floor(bytes);
        return floor != 0 && toBytes(floor) == bytes ? floor : 0;
    }

    /**
     * The largest MTU not above {@code bytes}.
     *
     * @param bytes MTU in bytes
     * @return 1..5, or 0 below 256
     */
    public static int floor(int bytes) {
        int mtuEnum = 0;
        while (mtuEnum < MTU_4096 && bytes >= 128 << mtuEnum + 1) {
            mtuEnum++;
        }
        return mtuEnum;
    }

    /**
     * Active MTU of a port over a network interface, the way rxe 6.1 derives it: (netdev MTU − 80) rounded down, at least 256.
     * 1500 gives 1024, 9000 gives 4096.
     *
     * @param netdevMtu bytes of IP packet the interface carries
     * @return IB enumeration, 1..5
     */
    public static int activeMtu(int netdevMtu) {
        return Math.max(MTU_256, floor(netdevMtu - RXE_HEADROOM));
    }
}
