// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.softrdma.host.config.TimeText;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Start-up of an iWARP device's connections. Source: RFC 5044 §7.1, RFC 6581.
 *
 * @param revision  first revision that an initiator uses: 2, or 1 for peers without the enhanced start-up; a responder follows its peer
 * @param crc       of frames
 * @param markers   requests markers in received frames; markers that the peer requests are sent in any case
 * @param rtr       first message of a peer-to-peer connection, offered by an initiator of revision 2; NONE: not offered
 * @param ird       READs and atomics a connection holds for its peer, 0..{@link #MAX_READS}
 * @param ord       READs and atomics of a connection that may be outstanding, 0..{@link #MAX_READS}
 * @param pauseNs   time that both ends wait after the reply before they send: an initiator once, a responder ten times as long, but only
 *     until the peer has sent something, and for nothing else if the peer announced that. Kernel siw 6.1 leaves a first frame that arrives
 *     too early unread, or gives up. An initiator that receives nothing sends a reminder; without a pause it does not
 * @param timeoutNs limit for TCP's handshake, and then again for the peer's start-up frame
 * @param halfOpen  accepted connections of one address whose request is not received yet, 1..{@link #MAX_HALF_OPEN}
 */
public record MpaOptions(int revision, Crc crc, boolean markers, Rtr rtr, int ird, int ord, long pauseNs, long timeoutNs,
                         int halfOpen) {
    /** Use of the CRC in frames. It is used if either side requests it. */
    public enum Crc {
        /** Not requested. */
        OFF,
        /** Requested, as RFC 5044 §7.1.1 recommends unless both sides can do without. */
        ON,
        /** Requested, and peers that do not request it are refused. */
        REQUIRED
    }

    /** First message of a peer-to-peer connection's initiator, "ready to receive"; afterwards either end may send. */
    public enum Rtr {
        /** None is offered. */
        NONE,
        /** An RDMA WRITE of no bytes. */
        WRITE,
        /** An RDMA READ of no bytes. */
        READ
    }

    /** Kernel siw's limit. */
    public static final int MAX_READS = 128;
    /** Accepted connections of all addresses together whose request is not received yet. Each takes a socket and a few kilobytes. */
    public static final int MAX_HALF_OPEN = 1024;
    /** Revision 2 with CRC, without markers and first message, {@link #MAX_READS} both ways, 10 ms pause, 10 s timeout. */
    public static final MpaOptions DEFAULT =
        new MpaOptions(2, Crc.ON, false, Rtr.NONE, MAX_READS, MAX_READS, 10_000_000, 10_000_000_000L, MAX_HALF_OPEN / 4);
    /** Help text for the syntax of {@link #parse}. */
    public static final String SYNTAX = """
        revision = 1 or 2, crc = off, on or required, markers = off or on
        rtr = none, write or read (first message of a peer-to-peer connection)
        ird, ord = 0 to 128 (READs held for the peer, READs outstanding)
        pause = TIME (before the first message, 0s to 1s)
        timeout = TIME (for TCP's answer and for the peer's start-up frame, 1ms to 60s)
        halfopen = 1 to 1024 (connections of one address that await their request)
        """;

    private static final String USUAL = "default";
    private static final String KEYS = "revision, crc, markers, rtr, ird, ord, pause, timeout, halfopen";
    private static final long LONGEST_PAUSE_NS = 1_000_000_000;
    private static final long SHORTEST_TIMEOUT_NS = 1_000_000;
    private static final long LONGEST_TIMEOUT_NS = 60_000_000_000L;

    /**
     * Checks the ranges.
     *
     * @throws VerbsException EINVAL, naming the option, the value and the range
     */
    public MpaOptions {
        check("revision", revision, 1, 2);
        check("ird", ird, 0, MAX_READS);
        check("ord", ord, 0, MAX_READS);
        check("pause", pauseNs, 0, LONGEST_PAUSE_NS);
        check("halfopen", halfOpen, 1, MAX_HALF_OPEN);
        check("timeout", timeoutNs, SHORTEST_TIMEOUT_NS, LONGEST_TIMEOUT_NS);
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw refused(name + " " + value + " is not in " + least + ".." + most);
        }
    }

    /**
     * Reads the text form; see {@link #SYNTAX}.
     *
     * @param text {@code default}, or the options that differ from it
     * @return the options
     * @throws VerbsException EINVAL, naming the key, the value and what is allowed
     */
    public static MpaOptions parse(String text) {
        MpaOptions options = DEFAULT;
        if (text.equals(USUAL)) {
            return options;
        }
        Set<String> seen = new HashSet<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            String key = equals < 0 ? part : part.substring(0, equals);
            if (equals < 0 || !seen.add(key)) {
                throw refused("'" + part + "' is neither " + USUAL + " nor KEY=VALUE, or is repeated; keys are " + KEYS);
            }
            options = options.with(key, part.substring(equals + 1));
        }
        return options;
    }

    private MpaOptions with(String key, String value) {
        return switch (key) {
            case "revision" -> withRevision(number(key, value));
            case "crc" -> withCrc(word(key, value, Crc.values()));
            case "markers" -> withMarkers(word(key, value, OnOff.values()) == OnOff.ON);
            case "rtr" -> withRtr(word(key, value, Rtr.values()));
            case "ird" -> withReads(number(key, value), ord);
            case "ord" -> withReads(ird, number(key, value));
            case "pause" -> withPauseNs(time(key, value));
            case "timeout" -> withTimeoutNs(time(key, value));
            case "halfopen" -> withHalfOpen(number(key, value));
            default -> throw refused("there is no '" + key + "'; keys are " + KEYS);
        };
    }

    private enum OnOff { OFF, ON }

    private static int number(String key, String value) {
        if (!value.matches("[0-9]{1,4}")) {
            throw refused(key + "=" + value + ": must be a number");
        }
        return Integer.parseInt(value);
    }

    private static long time(String key, String value) {
        long timeNs = TimeText.parse(value);
        if (timeNs == TimeText.NONE) {
            throw refused(key + "=" + value + ": " + TimeText.RULE);
        }
        return timeNs;
    }

    private static <E extends Enum<E>> E word(String key, String value, E[] all) {
        for (E each : all) {
            if (text(each).equals(value)) {
                return each;
            }
        }
        throw refused(key + "=" + value + ": must be one of " + String.join(", ", List.of(all).stream().map(MpaOptions::text).toList()));
    }

    private static String text(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }

    private static VerbsException refused(String why) {
        return new VerbsException(Errno.EINVAL, "set_mpa", why);
    }

    /**
     * Replaces the revision of MPA that requests have.
     *
     * @param number 1 (RFC 5044) or 2 (RFC 6581)
     * @return new options
     * @throws VerbsException EINVAL: out of range
     */
    public MpaOptions withRevision(int number) {
        return new MpaOptions(number, crc, markers, rtr, ird, ord, pauseNs, timeoutNs, halfOpen);
    }

    /**
     * Replaces the use of the CRC.
     *
     * @param wanted what this side requests
     * @return new options
     */
    public MpaOptions withCrc(Crc wanted) {
        return new MpaOptions(revision, wanted, markers, rtr, ird, ord, pauseNs, timeoutNs, halfOpen);
    }

    /**
     * Replaces whether this side requests markers in the frames it receives (RFC 5044 §4.3).
     *
     * @param wanted true to request them
     * @return new options
     */
    public MpaOptions withMarkers(boolean wanted) {
        return new MpaOptions(revision, crc, wanted, rtr, ird, ord, pauseNs, timeoutNs, halfOpen);
    }

    /**
     * Replaces the first message of peer-to-peer connections (RFC 6581 §4.1).
     *
     * @param first what an initiator sends
     * @return new options
     */
    public MpaOptions withRtr(Rtr first) {
        return new MpaOptions(revision, crc, markers, first, ird, ord, pauseNs, timeoutNs, halfOpen);
    }

    /**
     * Replaces the READ depths of both directions (RFC 6581 §3).
     *
     * @param held        READs that this side holds for the peer, 0..{@link #MAX_READS}
     * @param outstanding READs that this side may have outstanding, 0..{@link #MAX_READS}
     * @return new options
     * @throws VerbsException EINVAL: out of range
     */
    public MpaOptions withReads(int held, int outstanding) {
        return new MpaOptions(revision, crc, markers, rtr, held, outstanding, pauseNs, timeoutNs, halfOpen);
    }

    /**
     * Replaces the time that both ends wait after the reply before they send.
     *
     * @param ns 0 to one second
     * @return new options
     * @throws VerbsException EINVAL: out of range
     */
    public MpaOptions withPauseNs(long ns) {
        return new MpaOptions(revision, crc, markers, rtr, ird, ord, ns, timeoutNs, halfOpen);
    }

    /**
     * Replaces the limit for TCP's handshake, and again for the peer's start-up frame.
     *
     * @param ns 1 ms to 60 s
     * @return new options
     * @throws VerbsException EINVAL: out of range
     */
    public MpaOptions withTimeoutNs(long ns) {
        return new MpaOptions(revision, crc, markers, rtr, ird, ord, pauseNs, ns, halfOpen);
    }

    /**
     * Replaces the share of one address in the connections that await their request.
     *
     * @param ofOneAddress 1..{@link #MAX_HALF_OPEN}
     * @return new options
     * @throws VerbsException EINVAL: out of range
     */
    public MpaOptions withHalfOpen(int ofOneAddress) {
        return new MpaOptions(revision, crc, markers, rtr, ird, ord, pauseNs, timeoutNs, ofOneAddress);
    }

    /** {@return whether this side requests the CRC} */
    public boolean wantsCrc() {
        return crc != Crc.OFF;
    }

    /** The text form of the values that differ from {@link #DEFAULT}; {@link #parse} reads it as equal options. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        add(parts, "revision", Integer.toString(revision), Integer.toString(DEFAULT.revision));
        add(parts, "crc", text(crc), text(DEFAULT.crc));
        add(parts, "markers", markers ? "on" : "off", "off");
        add(parts, "rtr", text(rtr), text(DEFAULT.rtr));
        add(parts, "ird", Integer.toString(ird), Integer.toString(DEFAULT.ird));
        add(parts, "ord", Integer.toString(ord), Integer.toString(DEFAULT.ord));
        add(parts, "pause", TimeText.format(pauseNs), TimeText.format(DEFAULT.pauseNs));
        add(parts, "timeout", TimeText.format(timeoutNs), TimeText.format(DEFAULT.timeoutNs));
        add(parts, "halfopen", Integer.toString(halfOpen), Integer.toString(DEFAULT.halfOpen));
        return parts.isEmpty() ? USUAL : String.join(",", parts);
    }

    private static void add(List<String> parts, String key, String value, String usual) {
        if (!value.equals(usual)) {
            parts.add(key + "=" + value);
        }
    }
}
