// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * What carries an rxe device's packets, and which versions of RoCE it speaks.
 *
 * @param raw   whole Ethernet frames, which need CAP_NET_RAW; else UDP sockets
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

    /** @throws VerbsException EINVAL: UDP sockets carry RoCE v2 only */
    public RoceWire {
        types = List.copyOf(types);
        if (!raw && !types.equals(List.of(GidType.ROCE_V2))) {
            throw new VerbsException(Errno.EINVAL, "setlink", "RoCE v1 needs raw frames: link raw");
        }
    }

    /**
     * Reads what a link's options say.
     *
     * @param carrier  {@code raw}, {@code udp}, or null for UDP
     * @param versions {@code v1}, {@code v2}, {@code v1,v2}, or null for all that the carrier has
     * @throws VerbsException EINVAL if they are not understood, or do not go together
     */
    public static RoceWire parse(String carrier, String versions) {
        boolean raw = switch (carrier == null ? UDP_WORD : carrier) {
            case RAW_WORD -> true;
            case UDP_WORD -> false;
            default -> throw new VerbsException(Errno.EINVAL, "setlink", "link is raw or udp, not '" + carrier + "'");
        };
        return versions == null ? raw ? RAW : UDP : new RoceWire(raw, types(versions));
    }

    private static List<GidType> types(String versions) {
        return switch (versions) {
            case V1 -> List.of(GidType.ROCE_V1);
            case V2 -> List.of(GidType.ROCE_V2);
            case BOTH -> RAW.types;
            default -> throw new VerbsException(Errno.EINVAL, "setlink", "roce is v1, v2 or v1,v2, not '" + versions + "'");
        };
    }

    /** The versions as {@link #parse} takes them. */
    public String words() {
        return String.join(",", types.stream().map(RoceWire::word).toList());
    }

    /** The version of connections by address as long as nobody chose one: v2 if there is a choice, as Linux's rdma_cm. */
    public GidType usualMode() {
        return types.getLast();
    }

    /** The word for one version. */
    static String word(GidType type) {
        return type == GidType.ROCE_V1 ? V1 : V2;
    }

    /** The version that a word stands for; EINVAL. */
    static GidType mode(String word) {
        List<GidType> types = types(word);
        if (types.size() != 1) {
            throw new VerbsException(Errno.EINVAL, "setlink", "roce_mode is v1 or v2, not '" + word + "'");
        }
        return types.getFirst();
    }
}
