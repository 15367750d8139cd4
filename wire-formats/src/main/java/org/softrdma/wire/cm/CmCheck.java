// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Mad;

/**
 * Whether a datagram for the GSI is a message of communication management that can be read: run once per received MAD, before any
 * accessor. Throws nothing, allocates nothing. What the fields mean is for others to judge.
 */
public final class CmCheck {
    /** A known message; every field stays inside. */
    public static final int OK = 0;
    /** Not 256 bytes. */
    public static final int BAD_LENGTH = 1;
    /** BaseVersion is not 1. */
    public static final int BAD_BASE_VERSION = 2;
    /** Another management class. */
    public static final int OTHER_CLASS = 3;
    /** ClassVersion is not 2. */
    public static final int BAD_CLASS_VERSION = 4;
    /** Method is not Send. */
    public static final int BAD_METHOD = 5;
    /** {@link CmMessage} does not know it. */
    public static final int UNKNOWN_MESSAGE = 6;
    /** More additional information than the message has room for. */
    public static final int BAD_INFO_LENGTH = 7;

    private static final String[] NAMES = {"ok", "bad length", "bad base version", "other class", "bad class version", "bad method",
        "unknown message", "bad info length"};

    private CmCheck() {
    }

    /**
     * Judges one datagram.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param length of the payload, without pad; the buffer has it
     * @return {@link #OK} or the first complaint
     */
    public static int verdict(ByteBuffer b, int at, int length) {
        if (length != Mad.LENGTH) {
            return BAD_LENGTH;
        }
        if (Mad.baseVersion(b, at) != Mad.BASE_VERSION) {
            return BAD_BASE_VERSION;
        }
        if (Mad.managementClass(b, at) != Mad.CLASS_CM) {
            return OTHER_CLASS;
        }
        if (Mad.classVersion(b, at) != Mad.CM_CLASS_VERSION) {
            return BAD_CLASS_VERSION;
        }
        if (Mad.method(b, at) != Mad.METHOD_SEND) {
            return BAD_METHOD;
        }
        return switch (Mad.attribute(b, at)) {
            case CmMessage.REQ, CmMessage.MRA, CmMessage.REP, CmMessage.RTU, CmMessage.DREQ, CmMessage.DREP, CmMessage.LAP,
                CmMessage.SIDR_REQ -> OK;
            case CmMessage.REJ -> CmRej.INFO_LENGTH.get(b, at) <= CmRej.MAX_INFO_LENGTH ? OK : BAD_INFO_LENGTH;
            case CmMessage.APR -> CmApr.INFO_LENGTH.get(b, at) <= CmApr.MAX_INFO_LENGTH ? OK : BAD_INFO_LENGTH;
            case CmMessage.SIDR_REP -> CmSidrRep.INFO_LENGTH.get(b, at) <= CmSidrRep.MAX_INFO_LENGTH ? OK : BAD_INFO_LENGTH;
            default -> UNKNOWN_MESSAGE;
        };
    }

    /**
     * {@return text for messages and counters, such as "bad method"}
     *
     * @param verdict as {@link #verdict} returns it
     */
    public static String name(int verdict) {
        return verdict >= 0 && verdict < NAMES.length ? NAMES[verdict] : "verdict " + verdict;
    }
}
