// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Path MTUs of InfiniBand transports ({@code enum ibv_mtu}): payload bytes of one packet. */
public enum Mtu {
    /** 256 bytes. */
    MTU_256(1, 256),
    /** 512 bytes. */
    MTU_512(2, 512),
    /** 1024 bytes. */
    MTU_1024(3, 1024),
    /** 2048 bytes. */
    MTU_2048(4, 2048),
    /** 4096 bytes. */
    MTU_4096(5, 4096);

    private final int value;
    private final int bytes;

    Mtu(int value, int bytes) {
        this.value = value;
        this.bytes = bytes;
    }

    /** {@return the number the C API uses, 1..5} */
    public int value() {
        return value;
    }

    /** {@return payload bytes, 256..4096} */
    public int bytes() {
        return bytes;
    }

    /**
     * Finds an MTU by its size.
     *
     * @param bytes of payload
     * @return null if no MTU is exactly that
     */
    public static Mtu ofBytes(int bytes) {
        for (Mtu each : values()) {
            if (each.bytes == bytes) {
                return each;
            }
        }
        return null;
    }

    /**
     * Finds an MTU by its number.
     *
     * @param value a number of the C API
     * @return null if no MTU has it
     */
    public static Mtu of(int value) {
        return value >= 1 && value <= 5 ? values()[value - 1] : null;
    }
}
