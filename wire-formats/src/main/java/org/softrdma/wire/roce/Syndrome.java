// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

/**
 * The syndrome byte of an {@link Aeth}.
 *
 * <pre>
 *  bit 7 | bits 6:5                                  | bits 4:0
 *    0   | 00 ACK, 01 RNR NAK, 10 reserved, 11 NAK   | credit code, RNR timer code, –, NAK code
 * </pre>
 *
 * Every value 0..255 is exactly one of ACK, RNR, NAK, reserved. NAK codes 5..31 are reserved too, but still NAKs.
 * Source: IBA vol 1 §9.7.5.1.2, §9.7.7.2.4.
 */
public final class Syndrome {
    /** ACK without credit information: the responder limits nothing. rxe always sends it. */
    public static final int ACK_UNLIMITED = 0x1F;
    /** NAK: a packet was lost before this one. */
    public static final int NAK_PSN_SEQUENCE = 0x60;
    /** NAK: malformed or unsupported request. */
    public static final int NAK_INVALID_REQUEST = 0x61;
    /** NAK: key, range or rights do not allow the access. */
    public static final int NAK_REMOTE_ACCESS = 0x62;
    /** NAK: the responder failed by itself. */
    public static final int NAK_REMOTE_OPERATIONAL = 0x63;
    /** NAK: RD only. */
    public static final int NAK_INVALID_RD = 0x64;
    /** Result of {@link #credits} for code 31, no limit. */
    public static final int UNLIMITED_CREDITS = Integer.MAX_VALUE;

    private static final int TYPE_MASK = 0xE0;
    private static final int ACK = 0x00;
    private static final int RNR = 0x20;
    private static final int NAK = 0x60;
    private static final int VALUE_MASK = 0x1F;

    /** IBA vol 1 table 45. */
    private static final int[] CREDITS = {
        0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
        16384, 24576, 32768, UNLIMITED_CREDITS,
    };

    private Syndrome() {
    }

    /**
     * {@return whether the syndrome is an ACK, 0x00..0x1F}
     *
     * @param syndrome syndrome of an {@link Aeth}, u8
     */
    public static boolean isAck(int syndrome) {
        return (syndrome & TYPE_MASK) == ACK;
    }

    /**
     * {@return whether the syndrome is an RNR NAK, 0x20..0x3F: receiver not ready, to be retried after {@link #rnrTimerCode}}
     *
     * @param syndrome syndrome of an {@link Aeth}, u8
     */
    public static boolean isRnr(int syndrome) {
        return (syndrome & TYPE_MASK) == RNR;
    }

    /**
     * {@return whether the syndrome is a NAK, 0x60..0x7F}
     *
     * @param syndrome syndrome of an {@link Aeth}, u8
     */
    public static boolean isNak(int syndrome) {
        return (syndrome & TYPE_MASK) == NAK;
    }

    /**
     * {@return whether the syndrome has no meaning defined: 0x40..0x5F and 0x80..0xFF}
     *
     * @param syndrome syndrome of an {@link Aeth}, u8
     */
    public static boolean isReserved(int syndrome) {
        return !isAck(syndrome) && !isRnr(syndrome) && !isNak(syndrome);
    }

    /**
     * {@return the syndrome of an RNR NAK}
     *
     * @param timerCode 0..31, {@link RnrTimer} says how long
     */
    public static int rnr(int timerCode) {
        return RNR | timerCode & VALUE_MASK;
    }

    /**
     * {@return timer code 0..31 of an RNR NAK}
     *
     * @param syndrome syndrome of an {@link Aeth}, u8
     */
    public static int rnrTimerCode(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    /**
     * Receive credits a credit code stands for.
     *
     * @param code bits 4:0 of an ACK; higher bits are ignored, so a whole ACK syndrome will do
     * @return 0..32768 messages, or {@link #UNLIMITED_CREDITS} for 31
     */
    public static int credits(int code) {
        return CREDITS[code & VALUE_MASK];
    }

    /**
     * {@return text for messages, such as "ACK", "RNR NAK 14", "NAK remote access"}
     *
     * @param syndrome syndrome of an {@link Aeth}, u8
     */
    public static String name(int syndrome) {
        if (isAck(syndrome)) {
            return syndrome == ACK_UNLIMITED ? "ACK" : "ACK credits " + credits(syndrome);
        }
        if (isRnr(syndrome)) {
            return "RNR NAK " + rnrTimerCode(syndrome);
        }
        return switch (syndrome) {
            case NAK_PSN_SEQUENCE -> "NAK PSN sequence";
            case NAK_INVALID_REQUEST -> "NAK invalid request";
            case NAK_REMOTE_ACCESS -> "NAK remote access";
            case NAK_REMOTE_OPERATIONAL -> "NAK remote operational";
            case NAK_INVALID_RD -> "NAK invalid RD request";
            default -> String.format("%s 0x%02x", isNak(syndrome) ? "NAK" : "reserved syndrome", syndrome & 0xFF);
        };
    }
}
