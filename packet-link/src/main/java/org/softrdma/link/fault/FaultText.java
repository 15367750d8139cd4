// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.softrdma.host.config.TimeText;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Text form of {@link LinkFaults}. */
final class FaultText {
    static final String SYNTAX = """
        drop, duplicate, corrupt, truncate, extend = RATE
        reorder, partition, clog = RATE:TIME
        delay = TIME or TIME-TIME
        dir = tx (the default), rx or both; seed = NUMBER
        RATE is 0..1 or 0%..100%, of packets; TIME up to 60s, in ns, us, ms or s
        """;

    private static final String NO_FAULTS = "none";
    private static final String KEYS = "drop, duplicate, reorder, corrupt, truncate, extend, delay, partition, clog, dir, seed";
    private static final String RATE_RULE = "a rate is 0..1 or 0%..100%";
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,12})?|\\.[0-9]{1,12}");

    private FaultText() {
    }

    static LinkFaults parse(String text) {
        if (text.equals(NO_FAULTS)) {
            return LinkFaults.NONE;
        }
        LinkFaults faults = LinkFaults.NONE;
        Set<String> seen = new HashSet<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0) {
                throw refused("'" + part + "' is not KEY=VALUE; keys are " + KEYS + ", and '" + NO_FAULTS + "' stands alone");
            }
            String key = part.substring(0, equals);
            if (!seen.add(key)) {
                throw refused(key + " is repeated");
            }
            faults = with(faults, key, part.substring(equals + 1));
        }
        return faults;
    }

    private static LinkFaults with(LinkFaults faults, String key, String value) {
        FaultPlan plan = faults.plan();
        return switch (key) {
            case "drop" -> with(faults, plan.withLoss(rate(key, value, value)));
            case "duplicate" -> with(faults, plan.withDuplication(rate(key, value, value)));
            case "corrupt" -> with(faults, plan.withBitFlip(rate(key, value, value)));
            case "truncate" -> with(faults, plan.withTruncation(rate(key, value, value)));
            case "extend" -> with(faults, plan.withExtension(rate(key, value, value)));
            case "reorder" -> with(faults, plan.withReordering(rateOf(key, value), timeOf(key, value)));
            case "partition" -> with(faults, plan.withPartition(rateOf(key, value), timeOf(key, value)));
            case "clog" -> with(faults, plan.withClog(rateOf(key, value), timeOf(key, value)));
            case "delay" -> with(faults, delay(plan, value));
            case "dir" -> faults.withDirection(direction(value));
            case "seed" -> faults.withSeed(seed(value));
            default -> throw refused("unknown fault '" + key + "'; there are: " + KEYS);
        };
    }

    private static LinkFaults with(LinkFaults faults, FaultPlan plan) {
        return new LinkFaults(plan, faults.direction(), faults.seed());
    }

    /**
     * Reads a rate.
     *
     * @param text the part of the value to read
     */
    private static double rate(String key, String value, String text) {
        boolean percent = text.endsWith("%");
        String number = percent ? text.substring(0, text.length() - 1) : text;
        double rate = DECIMAL.matcher(number).matches() ? new BigDecimal(number).movePointLeft(percent ? 2 : 0).doubleValue() : Double.NaN;
        if (!(rate >= 0 && rate <= 1)) {
            throw refused(key + "=" + value + ": " + RATE_RULE);
        }
        return rate;
    }

    private static double rateOf(String key, String value) {
        int colon = value.indexOf(':');
        if (colon < 0) {
            throw refused(key + "=" + value + ": must be RATE:TIME, as in " + key + "=0.01:200us");
        }
        return rate(key, value, value.substring(0, colon));
    }

    private static long timeOf(String key, String value) {
        long timeNs = time(key, value, value.substring(value.indexOf(':') + 1));
        if (timeNs == 0) {
            throw refused(key + "=" + value + ": " + TimeText.RULE);
        }
        return timeNs;
    }

    private static FaultPlan delay(FaultPlan plan, String value) {
        int dash = value.indexOf('-');
        long minNs = time("delay", value, dash < 0 ? value : value.substring(0, dash));
        long maxNs = dash < 0 ? minNs : time("delay", value, value.substring(dash + 1));
        if (maxNs < minNs) {
            throw refused("delay=" + value + ": the shorter time comes first");
        }
        return plan.withDelay(minNs, maxNs);
    }

    private static long time(String key, String value, String text) {
        long timeNs = TimeText.parse(text);
        if (timeNs == TimeText.NONE) {
            throw refused(key + "=" + value + ": " + TimeText.RULE);
        }
        return timeNs;
    }

    private static FaultDirection direction(String value) {
        return switch (value) {
            case "tx" -> FaultDirection.TX;
            case "rx" -> FaultDirection.RX;
            case "both" -> FaultDirection.BOTH;
            default -> throw refused("dir=" + value + ": must be tx (packets sent), rx (packets received) or both");
        };
    }

    private static long seed(String value) {
        try {
            return Long.parseUnsignedLong(value);
        } catch (NumberFormatException e) {
            throw refused("seed=" + value + ": must be a whole number, 0 to 18446744073709551615");
        }
    }

    private static VerbsException refused(String why) {
        return new VerbsException(Errno.EINVAL, "set_faults", why);
    }

    static String format(LinkFaults faults) {
        if (faults.isNone()) {
            return NO_FAULTS;
        }
        FaultPlan plan = faults.plan();
        List<String> parts = new ArrayList<>();
        add(parts, "drop", plan.loss(), 0);
        add(parts, "duplicate", plan.duplication(), 0);
        add(parts, "reorder", plan.reordering(), plan.reorderMaxNs());
        add(parts, "corrupt", plan.bitFlip(), 0);
        add(parts, "truncate", plan.truncation(), 0);
        add(parts, "extend", plan.extension(), 0);
        if (plan.delayMaxNs() > 0) {
            parts.add("delay=" + TimeText.format(plan.delayMinNs())
                + (plan.delayMaxNs() == plan.delayMinNs() ? "" : "-" + TimeText.format(plan.delayMaxNs())));
        }
        add(parts, "partition", plan.partition(), plan.partitionMaxNs());
        add(parts, "clog", plan.clog(), plan.clogMaxNs());
        if (faults.direction() != FaultDirection.TX) {
            parts.add("dir=" + faults.direction().name().toLowerCase(Locale.ROOT));
        }
        parts.add("seed=" + Long.toUnsignedString(faults.seed()));
        return String.join(",", parts);
    }

    private static void add(List<String> parts, String key, double rate, long timeNs) {
        if (rate > 0) {
            parts.add(key + "=" + new BigDecimal(Double.toString(rate)).stripTrailingZeros().toPlainString()
                + (timeNs > 0 ? ":" + TimeText.format(timeNs) : ""));
        }
    }
}
