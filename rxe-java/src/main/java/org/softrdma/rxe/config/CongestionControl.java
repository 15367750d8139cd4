// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.softrdma.host.config.TimeText;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Congestion control of a device: none, or DCQCN, as RoCE v2 adapters have it. Packets are sent as markable instead of droppable, marks are
 * answered with notifications (CNPs), and a queue pair that is notified sends more slowly for a while.
 *
 * <p>Source: IBA vol 1 annex A17 §A17.9.3; Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, whose names
 * and values these are.
 *
 * @param on               false for {@link #NONE} alone
 * @param lineRate         maximum and initial rate of a queue pair, bits per second; 0 for the interface's rate
 * @param cnpIntervalNs    N: shortest time between two CNPs for one queue pair
 * @param alphaTimerNs     K: time without a CNP after which the estimate of congestion decreases
 * @param increaseTimerNs  interval between increases of the rate
 * @param increaseBytes    B: bytes sent between increases of the rate, besides those by time
 * @param additiveIncrease R_AI, bits per second
 * @param hyperIncrease    R_HAI, bits per second
 */
public record CongestionControl(boolean on, long lineRate, long cnpIntervalNs, long alphaTimerNs, long increaseTimerNs, long increaseBytes,
                                long additiveIncrease, long hyperIncrease) {
    /** No congestion control: packets are not markable, marks are ignored, nothing is slowed down. As kernel rxe. */
    public static final CongestionControl NONE = new CongestionControl(false, 0, 0, 0, 0, 0, 0, 0);
    /** The values of the paper; for hyper increase, which it does not specify, ten times the additive one. */
    public static final CongestionControl DCQCN =
        new CongestionControl(true, 0, 50_000, 55_000, 55_000, 10_000_000, 40_000_000, 400_000_000);
    /** Help text for the syntax of {@link #parse}. */
    public static final String SYNTAX = """
        rate = RATE (line rate; the interface's), ai, hai = RATE (additive, hyper increase; 40mbit, 400mbit)
        cnp = TIME (between notifications; 50us), alpha, timer = TIME (55us), bytes = NUMBER (10000000)
        RATE is 1mbit to 1000gbit; TIME 1us to 1s, in us, ms or s
        """;

    private static final String NO_CONTROL = "none";
    private static final String ALGORITHM = "dcqcn";
    private static final String KEYS = "rate, cnp, alpha, timer, bytes, ai, hai";
    private static final long MBIT = 1_000_000;
    private static final long GBIT = 1_000_000_000;
    private static final long SHORTEST_NS = 1_000;
    private static final long LONGEST_NS = 1_000_000_000;
    private static final long FASTEST = 1000 * GBIT;
    private static final long UNKNOWN_INTERFACE = 10 * GBIT;
    private static final Pattern RATE = Pattern.compile("([0-9]{1,9})(mbit|gbit)");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,12}");

    /**
     * Checks the values.
     *
     * @throws VerbsException EINVAL: a value is out of range
     */
    public CongestionControl {
        if (on) {
            checkRate("rate", lineRate, 0);
            check("cnp", cnpIntervalNs, SHORTEST_NS, LONGEST_NS);
            check("alpha", alphaTimerNs, SHORTEST_NS, LONGEST_NS);
            check("timer", increaseTimerNs, SHORTEST_NS, LONGEST_NS);
            check("bytes", increaseBytes, 1, Long.MAX_VALUE);
            checkRate("ai", additiveIncrease, MBIT);
            checkRate("hai", hyperIncrease, MBIT);
        }
    }

    private static void checkRate(String name, long value, long least) {
        if (value < least || value > FASTEST || value % MBIT != 0) {
            throw refused(name + " " + value + " bit/s: whole Mbit/s, up to " + FASTEST / GBIT + " Gbit/s");
        }
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw refused(name + " " + value + " is not in " + least + ".." + most);
        }
    }

    /**
     * Reads the text form; see {@link #SYNTAX}.
     *
     * @param text as the link has it
     * @return the settings
     * @throws VerbsException EINVAL, naming the key, the value and what is allowed
     */
    public static CongestionControl parse(String text) {
        if (text.equals(NO_CONTROL)) {
            return NONE;
        }
        String[] parts = text.split(",", -1);
        if (!parts[0].equals(ALGORITHM)) {
            throw refused("'" + parts[0] + "' is neither " + NO_CONTROL + " nor " + ALGORITHM);
        }
        CongestionControl control = DCQCN;
        Set<String> seen = new HashSet<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            String key = equals < 0 ? parts[i] : parts[i].substring(0, equals);
            if (equals < 0 || !seen.add(key)) {
                throw refused("'" + parts[i] + "' is not KEY=VALUE, or is repeated; keys are " + KEYS);
            }
            control = control.with(key, parts[i].substring(equals + 1));
        }
        return control;
    }

    private CongestionControl with(String key, String value) {
        return switch (key) {
            case "rate" -> withLineRate(rate(key, value));
            case "cnp" -> new CongestionControl(on, lineRate, time(key, value), alphaTimerNs, increaseTimerNs, increaseBytes,
                additiveIncrease, hyperIncrease);
            case "alpha" -> new CongestionControl(on, lineRate, cnpIntervalNs, time(key, value), increaseTimerNs, increaseBytes,
                additiveIncrease, hyperIncrease);
            case "timer" -> new CongestionControl(on, lineRate, cnpIntervalNs, alphaTimerNs, time(key, value), increaseBytes,
                additiveIncrease, hyperIncrease);
            case "bytes" -> new CongestionControl(on, lineRate, cnpIntervalNs, alphaTimerNs, increaseTimerNs, number(key, value),
                additiveIncrease, hyperIncrease);
            case "ai" -> new CongestionControl(on, lineRate, cnpIntervalNs, alphaTimerNs, increaseTimerNs, increaseBytes,
                rate(key, value), hyperIncrease);
            case "hai" -> new CongestionControl(on, lineRate, cnpIntervalNs, alphaTimerNs, increaseTimerNs, increaseBytes,
                additiveIncrease, rate(key, value));
            default -> throw refused("there is no '" + key + "'; keys are " + KEYS);
        };
    }

    private static long rate(String key, String value) {
        Matcher rate = RATE.matcher(value);
        if (!rate.matches()) {
            throw refused(key + "=" + value + ": a rate is 1mbit to 1000gbit");
        }
        long bits = Long.parseLong(rate.group(1)) * (rate.group(2).equals("gbit") ? GBIT : MBIT);
        if (bits < MBIT || bits > FASTEST) {
            throw refused(key + "=" + value + ": a rate is 1mbit to 1000gbit");
        }
        return bits;
    }

    private static long time(String key, String value) {
        long timeNs = TimeText.parse(value);
        if (timeNs < SHORTEST_NS || timeNs > LONGEST_NS) {
            throw refused(key + "=" + value + ": a time is 1us to 1s: a number with us, ms or s");
        }
        return timeNs;
    }

    private static long number(String key, String value) {
        if (!NUMBER.matcher(value).matches() || Long.parseLong(value) == 0) {
            throw refused(key + "=" + value + ": must be a number of bytes, at least 1");
        }
        return Long.parseLong(value);
    }

    private static VerbsException refused(String why) {
        return new VerbsException(Errno.EINVAL, "set_congestion", why);
    }

    /**
     * A copy with a line rate.
     *
     * @param bitsPerSecond 0 for the interface's
     * @return the copy
     */
    public CongestionControl withLineRate(long bitsPerSecond) {
        return new CongestionControl(on, bitsPerSecond, cnpIntervalNs, alphaTimerNs, increaseTimerNs, increaseBytes, additiveIncrease,
            hyperIncrease);
    }

    /**
     * A copy with a line rate: the configured one, otherwise the interface's, otherwise 10 Gbit/s. An interface beyond the configurable
     * range (a bond of several, say) counts as one of 1000 Gbit/s.
     *
     * @param bitsPerSecond rate of the interface, 0 if unknown
     * @return the copy
     */
    public CongestionControl onInterface(long bitsPerSecond) {
        return !on || lineRate != 0 ? this : withLineRate(bitsPerSecond != 0 ? Math.min(bitsPerSecond, FASTEST) : UNKNOWN_INTERFACE);
    }

    /** The text form of the values that differ from {@link #DCQCN}; {@link #parse} reads it as equal options. */
    @Override
    public String toString() {
        if (!on) {
            return NO_CONTROL;
        }
        List<String> parts = new ArrayList<>(List.of(ALGORITHM));
        addRate(parts, "rate", lineRate, DCQCN.lineRate);
        addTime(parts, "cnp", cnpIntervalNs, DCQCN.cnpIntervalNs);
        addTime(parts, "alpha", alphaTimerNs, DCQCN.alphaTimerNs);
        addTime(parts, "timer", increaseTimerNs, DCQCN.increaseTimerNs);
        if (increaseBytes != DCQCN.increaseBytes) {
            parts.add("bytes=" + increaseBytes);
        }
        addRate(parts, "ai", additiveIncrease, DCQCN.additiveIncrease);
        addRate(parts, "hai", hyperIncrease, DCQCN.hyperIncrease);
        return String.join(",", parts);
    }

    private static void addRate(List<String> parts, String key, long value, long usual) {
        if (value != usual) {
            parts.add(key + "=" + (value % GBIT == 0 ? value / GBIT + "gbit" : value / MBIT + "mbit"));
        }
    }

    private static void addTime(List<String> parts, String key, long value, long usual) {
        if (value != usual) {
            parts.add(key + "=" + TimeText.format(value));
        }
    }
}
