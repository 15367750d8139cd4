// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.partition;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.softrdma.wire.ib.PKeyBlock;

/**
 * Reads a file of partitions in opensm's form:
 *
 * <pre>
 * NAME[=PKEY][, indx0][, ipoib[, mtu=N][, rate=N][, sl=N][, scope=N][, Q_Key=N][, TClass=N][, FlowLabel=N]][, defmember=full|limited|both]
 *     : [PORT[=full|limited|both]][, PORT...] ;
 * </pre>
 *
 * PORT is a PortGUID, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS or SELF. Definitions with one P_Key are one partition. Comments begin with #.
 * Multicast groups (mgid=) are refused: clients create them. Source: opensm(8), partition configuration.
 */
public final class PartitionReader {
    private static final int MAX_PARTITIONS = 0x7FFE;
    private static final int MAX_FLOW_LABEL = 0xFFFFF;

    private final Map<Integer, Partition> partitions = new LinkedHashMap<>();
    private int line = 1;

    private PartitionReader() {
    }

    /** Definition that has no P_Key of its own. */
    private record Unnumbered(String name, boolean atZero, Broadcast broadcast, List<Member> members) {
    }

    /**
     * Reads the contents of a file.
     *
     * @throws IllegalArgumentException something is not understood; the message begins with the line's number
     */
    public static Partitions read(String text) {
        return new PartitionReader().readAll(text);
    }

    private Partitions readAll(String text) {
        List<Unnumbered> unnumbered = new ArrayList<>();
        String plain = text.replaceAll("#[^\n]*", "");
        String[] definitions = plain.split(";", -1);
        for (int i = 0; i < definitions.length; i++) {
            String definition = definitions[i];
            int begins = definition.length() - definition.stripLeading().length();
            line += count(definition.substring(0, begins));
            if (!definition.isBlank()) {
                if (i == definitions.length - 1) {
                    throw wrong("a definition ends with ';'");
                }
                define(definition.strip(), unnumbered);
            }
            line += count(definition.substring(begins));
        }
        for (Unnumbered each : unnumbered) {
            int pkey = 1;
            while (partitions.containsKey(pkey)) {
                pkey++;
            }
            partitions.put(pkey, new Partition(each.name, pkey, each.atZero, each.broadcast, each.members));
        }
        return new Partitions(withDefault(), true);
    }

    private static int count(String text) {
        return (int) text.chars().filter(each -> each == '\n').count();
    }

    private IllegalArgumentException wrong(String why) {
        return new IllegalArgumentException(line + ": " + why);
    }

    /** The manager's port is always a full member of the default partition; without a rule for it, all others are limited ones. */
    private List<Partition> withDefault() {
        Partition found = partitions.remove(Partition.DEFAULT_PKEY);
        List<Member> members = new ArrayList<>(found != null ? found.members() : List.of(new Member(Member.Who.ALL, 0, false, true)));
        members.add(new Member(Member.Who.SELF, 0, true, false));
        List<Partition> all = new ArrayList<>();
        all.add(found == null ? new Partition("Default", Partition.DEFAULT_PKEY, false, null, members)
            : new Partition(found.name(), found.pkey(), found.atZero(), found.broadcast(), members));
        all.addAll(partitions.values());
        return all;
    }

    private void define(String definition, List<Unnumbered> unnumbered) {
        String[] parts = definition.split(":", -1);
        if (parts.length < 2 || parts.length > 3) {
            throw wrong("expected 'NAME=PKEY, FLAGS : PORTS ;', found '" + definition.replaceAll("\\s+", " ") + "'");
        }
        String[] flags = parts[0].split(",", -1);
        String[] named = flags[0].split("=", 2);
        String name = named[0].strip();
        boolean atZero = false;
        boolean isIp = false;
        String usual = "limited";
        Broadcast broadcast = Broadcast.DEFAULT;
        for (int i = 1; i < flags.length; i++) {
            String[] flag = flags[i].strip().split("\\s*=\\s*", 2);
            switch (flag[0].toLowerCase(Locale.ROOT)) {
                case "indx0" -> atZero = true;
                case "ipoib" -> isIp = true;
                case "defmember" -> usual = value(flag);
                default -> broadcast = with(broadcast, flag);
            }
        }
        String ports = parts[1];
        if (parts.length == 3) {
            String[] flag = parts[1].strip().split("\\s*=\\s*", 2);
            if (!flag[0].equals("defmember")) {
                throw wrong("expected 'defmember=full|limited|both' between two ':', found '" + parts[1].strip() + "'");
            }
            usual = value(flag);
            ports = parts[2];
        }
        List<Member> members = members(ports, usual);
        Broadcast used = isIp ? broadcast : null;
        if (named.length == 1) {
            unnumbered.add(new Unnumbered(name, atZero, used, members));
        } else {
            merge(new Partition(name, pkey(named[1].strip()), atZero, used, members));
        }
        if (partitions.size() + unnumbered.size() > MAX_PARTITIONS) {
            throw wrong("there are more partitions than P_Keys");
        }
    }

    private void merge(Partition next) {
        Partition before = partitions.get(next.pkey());
        if (before == null) {
            partitions.put(next.pkey(), next);
            return;
        }
        List<Member> members = new ArrayList<>(before.members());
        members.addAll(next.members());
        partitions.put(next.pkey(), new Partition(before.name(), next.pkey(), before.atZero() || next.atZero(),
            before.broadcast() != null ? before.broadcast() : next.broadcast(), members));
    }

    private String value(String[] flag) {
        if (flag.length == 1) {
            throw wrong("'" + flag[0] + "' lacks its value");
        }
        return flag[1].strip();
    }

    private Broadcast with(Broadcast old, String[] flag) {
        return switch (flag[0].toLowerCase(Locale.ROOT)) {
            case "mtu" -> new Broadcast(number(flag, 1, 5), old.rate(), old.serviceLevel(), old.scope(), old.qkey(), old.trafficClass(),
                old.flowLabel());
            case "rate" -> new Broadcast(old.mtu(), number(flag, 2, 63), old.serviceLevel(), old.scope(), old.qkey(), old.trafficClass(),
                old.flowLabel());
            case "sl" -> new Broadcast(old.mtu(), old.rate(), number(flag, 0, 15), old.scope(), old.qkey(), old.trafficClass(),
                old.flowLabel());
            case "scope" -> new Broadcast(old.mtu(), old.rate(), old.serviceLevel(), number(flag, 1, 15), old.qkey(), old.trafficClass(),
                old.flowLabel());
            case "q_key" -> new Broadcast(old.mtu(), old.rate(), old.serviceLevel(), old.scope(), (int) number(value(flag), 0xFFFFFFFFL),
                old.trafficClass(), old.flowLabel());
            case "tclass" -> new Broadcast(old.mtu(), old.rate(), old.serviceLevel(), old.scope(), old.qkey(), number(flag, 0, 255),
                old.flowLabel());
            case "flowlabel" -> new Broadcast(old.mtu(), old.rate(), old.serviceLevel(), old.scope(), old.qkey(), old.trafficClass(),
                number(flag, 0, MAX_FLOW_LABEL));
            default -> throw wrong("there is no flag '" + flag[0] + "'");
        };
    }

    private int number(String[] flag, int least, int most) {
        long number = number(value(flag), Integer.MAX_VALUE);
        if (number < least || number > most) {
            throw wrong(flag[0] + " is " + least + " to " + most + ", not " + number);
        }
        return (int) number;
    }

    private long number(String text, long most) {
        try {
            long number = text.matches("0[xX].*") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseUnsignedLong(text);
            if (Long.compareUnsigned(number, most) <= 0) {
                return number;
            }
        } catch (NumberFormatException other) {
            throw wrong("'" + text + "' is no number");
        }
        throw wrong(text + " is greater than 0x" + Long.toHexString(most));
    }

    private int pkey(String text) {
        int pkey = (int) number(text, 0xFFFF) & PKeyBlock.PARTITION;
        if (pkey == 0) {
            throw wrong("0 is no P_Key");
        }
        return pkey;
    }

    private List<Member> members(String text, String usual) {
        List<Member> members = new ArrayList<>();
        for (String each : text.split(",")) {
            if (each.isBlank()) {
                continue;
            }
            String[] port = each.strip().split("\\s*=\\s*", 2);
            if (port[0].equals("mgid")) {
                throw wrong("multicast groups (mgid=) are not made here: clients create them");
            }
            String membership = port.length == 2 ? port[1] : usual;
            boolean both = membership.equals("both");
            boolean full = both || membership.equals("full");
            members.add(member(port[0], full, both || !full));
        }
        return members;
    }

    private Member member(String port, boolean full, boolean limited) {
        for (Member.Who each : Member.Who.values()) {
            if (each != Member.Who.PORT && each.name().equals(port)) {
                return new Member(each, 0, full, limited);
            }
        }
        return new Member(Member.Who.PORT, number(port, -1), full, limited);
    }
}
