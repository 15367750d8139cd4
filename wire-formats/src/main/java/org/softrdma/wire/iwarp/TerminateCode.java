// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

/**
 * Why a connection is terminated, as 16 bits: layer (4), error type (4), error code (8), the order of the wire.
 * Sources: RFC 5040 §4.8, RFC 5041 §7.1, RFC 5044 §8, RFC 6581 §9, RFC 6580.
 */
public final class TerminateCode {
    /** RDMAP: local catastrophic error. */
    public static final int RDMAP_LOCAL_CATASTROPHIC = 0x0000;
    /** RDMAP, remote protection: invalid STag. */
    public static final int PROTECTION_INVALID_STAG = 0x0100;
    /** RDMAP, remote protection: base or bounds violation. */
    public static final int PROTECTION_BASE_BOUNDS = 0x0101;
    /** RDMAP, remote protection: access rights violation. */
    public static final int PROTECTION_ACCESS_RIGHTS = 0x0102;
    /** RDMAP, remote protection: STag not associated with the RDMAP stream. */
    public static final int PROTECTION_NOT_ASSOCIATED = 0x0103;
    /** RDMAP, remote protection: the tagged offset wraps. */
    public static final int PROTECTION_TO_WRAP = 0x0104;
    /** RDMAP, remote protection: STag cannot be invalidated. */
    public static final int PROTECTION_CANNOT_INVALIDATE = 0x0109;
    /** RDMAP, remote protection: unspecified error. */
    public static final int PROTECTION_UNSPECIFIED = 0x01FF;
    /** RDMAP, remote operation: invalid RDMAP version. */
    public static final int OPERATION_RDMAP_VERSION = 0x0205;
    /** RDMAP, remote operation: unexpected opcode. */
    public static final int OPERATION_UNEXPECTED_OPCODE = 0x0206;
    /** RDMAP, remote operation: catastrophic error, localised to the stream. */
    public static final int OPERATION_CATASTROPHIC_STREAM = 0x0207;
    /** RDMAP, remote operation: catastrophic error, global. */
    public static final int OPERATION_CATASTROPHIC_GLOBAL = 0x0208;
    /** RDMAP, remote operation: STag cannot be invalidated. */
    public static final int OPERATION_CANNOT_INVALIDATE = 0x0209;
    /** RDMAP, remote operation: unspecified error. */
    public static final int OPERATION_UNSPECIFIED = 0x02FF;
    /** DDP: local catastrophic error. */
    public static final int DDP_LOCAL_CATASTROPHIC = 0x1000;
    /** DDP, tagged buffer: invalid STag. */
    public static final int TAGGED_INVALID_STAG = 0x1100;
    /** DDP, tagged buffer: base or bounds violation. */
    public static final int TAGGED_BASE_BOUNDS = 0x1101;
    /** DDP, tagged buffer: STag not associated with the DDP stream. */
    public static final int TAGGED_NOT_ASSOCIATED = 0x1102;
    /** DDP, tagged buffer: the tagged offset wraps. */
    public static final int TAGGED_TO_WRAP = 0x1103;
    /** DDP, tagged buffer: invalid DDP version. */
    public static final int TAGGED_DDP_VERSION = 0x1104;
    /** DDP, untagged buffer: invalid queue number. */
    public static final int UNTAGGED_INVALID_QN = 0x1201;
    /** DDP, untagged buffer: invalid MSN, no buffer available. */
    public static final int UNTAGGED_NO_BUFFER = 0x1202;
    /** DDP, untagged buffer: invalid MSN, range not valid. */
    public static final int UNTAGGED_MSN_RANGE = 0x1203;
    /** DDP, untagged buffer: invalid message offset. */
    public static final int UNTAGGED_INVALID_MO = 0x1204;
    /** DDP, untagged buffer: message too long for the buffer. */
    public static final int UNTAGGED_TOO_LONG = 0x1205;
    /** DDP, untagged buffer: invalid DDP version. */
    public static final int UNTAGGED_DDP_VERSION = 0x1206;
    /** MPA: the TCP connection was closed, terminated or lost. */
    public static final int MPA_CONNECTION_LOST = 0x2001;
    /** MPA: received CRC does not match the one computed. */
    public static final int MPA_CRC = 0x2002;
    /** MPA: the marker and the ULPDU length field disagree. */
    public static final int MPA_MARKER_OR_LENGTH = 0x2003;
    /** MPA: invalid request or reply frame. */
    public static final int MPA_BAD_STARTUP_FRAME = 0x2004;
    /** MPA: local catastrophic error. */
    public static final int MPA_LOCAL_CATASTROPHIC = 0x2005;
    /** MPA: insufficient IRD resources. */
    public static final int MPA_INSUFFICIENT_IRD = 0x2006;
    /** MPA: no matching ready-to-receive option. */
    public static final int MPA_NO_MATCHING_RTR = 0x2007;

    private TerminateCode() {
    }

    /**
     * {@return whether layer and error type are RDMAP / remote protection}
     *
     * @param code layer, error type and error code, u16
     */
    public static boolean isProtection(int code) {
        return code >>> 8 == PROTECTION_INVALID_STAG >>> 8;
    }

    /**
     * {@return whether the specifications define the code; of a local catastrophic error they define every one}
     *
     * @param code layer, error type and error code, u16
     */
    public static boolean isKnown(int code) {
        return text(code) != null;
    }

    /**
     * {@return text for messages, such as "DDP untagged: no buffer"}
     *
     * @param code layer, error type and error code, u16
     */
    public static String name(int code) {
        String text = text(code);
        return text != null ? text : String.format("layer %d type %d code 0x%02x", code >>> 12, code >>> 8 & 0xF, code & 0xFF);
    }

    private static String text(int code) {
        if (code >>> 8 == RDMAP_LOCAL_CATASTROPHIC >>> 8) {
            return "RDMAP: local catastrophic error";
        }
        if (code >>> 8 == DDP_LOCAL_CATASTROPHIC >>> 8) {
            return "DDP: local catastrophic error";
        }
        return switch (code) {
            case PROTECTION_INVALID_STAG -> "RDMAP protection: invalid STag";
            case PROTECTION_BASE_BOUNDS -> "RDMAP protection: base or bounds violation";
            case PROTECTION_ACCESS_RIGHTS -> "RDMAP protection: access rights violation";
            case PROTECTION_NOT_ASSOCIATED -> "RDMAP protection: STag not associated with the stream";
            case PROTECTION_TO_WRAP -> "RDMAP protection: tagged offset wraps";
            case PROTECTION_CANNOT_INVALIDATE -> "RDMAP protection: STag cannot be invalidated";
            case PROTECTION_UNSPECIFIED -> "RDMAP protection: unspecified";
            case OPERATION_RDMAP_VERSION -> "RDMAP operation: invalid RDMAP version";
            case OPERATION_UNEXPECTED_OPCODE -> "RDMAP operation: unexpected opcode";
            case OPERATION_CATASTROPHIC_STREAM -> "RDMAP operation: catastrophic error of the stream";
            case OPERATION_CATASTROPHIC_GLOBAL -> "RDMAP operation: catastrophic error, global";
            case OPERATION_CANNOT_INVALIDATE -> "RDMAP operation: STag cannot be invalidated";
            case OPERATION_UNSPECIFIED -> "RDMAP operation: unspecified";
            case TAGGED_INVALID_STAG -> "DDP tagged: invalid STag";
            case TAGGED_BASE_BOUNDS -> "DDP tagged: base or bounds violation";
            case TAGGED_NOT_ASSOCIATED -> "DDP tagged: STag not associated with the stream";
            case TAGGED_TO_WRAP -> "DDP tagged: tagged offset wraps";
            case TAGGED_DDP_VERSION -> "DDP tagged: invalid DDP version";
            case UNTAGGED_INVALID_QN -> "DDP untagged: invalid queue number";
            case UNTAGGED_NO_BUFFER -> "DDP untagged: no buffer";
            case UNTAGGED_MSN_RANGE -> "DDP untagged: MSN out of range";
            case UNTAGGED_INVALID_MO -> "DDP untagged: invalid message offset";
            case UNTAGGED_TOO_LONG -> "DDP untagged: message too long for the buffer";
            case UNTAGGED_DDP_VERSION -> "DDP untagged: invalid DDP version";
            case MPA_CONNECTION_LOST -> "MPA: TCP connection lost";
            case MPA_CRC -> "MPA: CRC error";
            case MPA_MARKER_OR_LENGTH -> "MPA: marker and ULPDU length do not fit";
            case MPA_BAD_STARTUP_FRAME -> "MPA: invalid request or reply";
            case MPA_LOCAL_CATASTROPHIC -> "MPA: local catastrophic error";
            case MPA_INSUFFICIENT_IRD -> "MPA: insufficient IRD";
            case MPA_NO_MATCHING_RTR -> "MPA: no matching RTR";
            default -> null;
        };
    }
}
