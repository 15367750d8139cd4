// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * Carrier of an rxe device's packets, and the versions of RoCE it speaks.
 *
 * @param raw   whole Ethernet frames, which need CAP_NET_RAW; otherwise UDP sockets
 * @param types RoCE v1, v2 or both, in the order of the GID table
 */
public record RoceWire(boolean raw, List<GidType> types) {
    /** RoCE v2 over UDP sockets. */
    public static final RoceWire UDP = new RoceWire(false, List.of(GidType.ROCE_V2));
    /** Both versions in raw frames. */
    public static final RoceWire RAW = new RoceWire(true, List.of(GidType.ROCE_V1, GidType.ROCE_V2));

    static final String RAW_WORD = "raw";
    static final String UDP_WORD = "udp";
    private static final String V1 = "v1";
    private static final String V2 = "v2";
    private static final String BOTH = "v1,v2";

    /**
     * Checks that the carrier has the versions.
     *
     * @throws VerbsException EINVAL: UDP sockets carry RoCE v2 only
     */
    public RoceWire {
        types = List.copyOf(types);
        if (!raw && !types.equals(List.of(GidType.ROCE_V2))) {
            throw refused("RoCE v1 needs raw frames: link raw");
        }
    }

    /**
     * Reads the words that {@code rdma link} takes.
     *
     * @param carrier  {@code raw}, {@code udp}, or null for UDP
     * @param versions {@code v1}, {@code v2}, {@code v1,v2}, or null for all that the carrier has
     * @return carrier and versions
     * @throws VerbsException EINVAL if they are not understood, or do not go together
     */
    public static RoceWire parse(String carrier, String versions) {
        return of(carrier != null && parseCarrier(carrier), versions == null ? null : parseVersions(versions));
    }

    /** The wire with these versions; null stands for all that the carrier has. */
    static RoceWire of(boolean raw, List<GidType> types) {
        if (types == null) {
            return raw ? RAW : UDP;
        }
        return new RoceWire(raw, types);
    }

    /** Reads the carrier's word: true for raw frames. EINVAL. */
    static boolean parseCarrier(String word) {
        return switch (word) {
            case RAW_WORD -> true;
            case UDP_WORD -> false;
            default -> throw refused("link is raw or udp, not '" + word + "'");
        };
    }

    /** Reads one or two versions. EINVAL. */
    static List<GidType> parseVersions(String words) {
        return switch (words) {
            case V1 -> List.of(GidType.ROCE_V1);
            case V2 -> List.of(GidType.ROCE_V2);
            case BOTH -> RAW.types;
            default -> throw refused("roce is v1, v2 or v1,v2, not '" + words + "'");
        };
    }

    /** Reads one version. EINVAL. */
    static GidType parseVersion(String word) {
        return switch (word) {
            case V1 -> GidType.ROCE_V1;
            case V2 -> GidType.ROCE_V2;
            default -> throw refused("roce_mode is v1 or v2, not '" + word + "'");
        };
    }

    private static VerbsException refused(String why) {
        return new VerbsException(Errno.EINVAL, "setlink", why);
    }

    /** The versions as {@link #parseVersions} reads them. */
    static String words(List<GidType> types) {
        return String.join(",", types.stream().map(RoceWire::word).toList());
    }

    /** The version as {@link #parseVersion} reads it. */
    static String word(GidType type) {
        return type == GidType.ROCE_V1 ? V1 : V2;
    }

    /** {@return the version of connections by address unless one was chosen: v2 if the wire has it, as Linux's rdma_cm does} */
    public GidType usualMode() {
        return types.getLast();
    }
}
