// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.topology;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads topology files: the output of {@code ibnetdiscover}, and ibsim's net files.
 *
 * <pre>
 * caguid=0x2c9000100d050
 * Ca 2 "H-0002c9000100d050" # "Hca1"
 * [1](2c9000100d051) "S-0008f10400411f56"[4] # lid 1 lmc 0 "Switch1" lid 2 4xSDR
 * </pre>
 *
 * A node's lines follow its head without empty lines. Lines of properties ({@code vendid}, {@code devid}, {@code sysimgguid},
 * {@code switchguid}, {@code caguid}, {@code rtguid}) are the next node's; {@code width}, {@code speed} and {@code extspeed} are of all
 * cables that follow. LIDs in comments are not read: a fabric is powered on without addresses.
 */
public final class TopologyReader {
    private static final Pattern HEAD = Pattern.compile("(Switch|Hca|Ca|Rt)\\s+(\\d{1,6})\\s+\"([^\"]+)\"(.*)");
    private static final Pattern PORT = Pattern.compile(
        "\\[(\\d{1,6})\\](?:\\(([0-9a-fA-F]{1,16})\\))?\\s*\"([^\"]+)\"(?:\\[(\\d{1,6})\\])?(.*)");
    private static final Pattern PROPERTY = Pattern.compile(
        "(\\w+)\\s*=\\s*(0[xX][0-9a-fA-F]{1,16}|\\d{1,18})(\\([0-9a-fA-F]+\\))?\\s*(?:#.*)?");
    private static final Pattern INCLUDE = Pattern.compile("include\\s+\"([^\"]+)\".*");
    private static final Pattern QUOTED_COMMENT = Pattern.compile("#\\s*\"([^\"]*)\"(.*)");
    private static final Pattern PLAIN_COMMENT = Pattern.compile("#\\s*(.*?)(?:\\s+(?:enhanced port|base port|lid|lmc)\\s.*)?");
    private static final Pattern LINK = Pattern.compile("\\b(\\d+)x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR)\\b");
    private static final Pattern OPTION = Pattern.compile("\\b([wse])=(\\d{1,3})\\b");
    private static final int MAX_PORTS = 254;
    private static final int MAX_INCLUDES = 9;
    /** GUIDs that ibsim gives nodes without one. */
    private static final Map<Topology.Kind, Long> FIRST_GUIDS = Map.of(Topology.Kind.CA, 0x100000L, Topology.Kind.SWITCH, 0x200000L,
        Topology.Kind.ROUTER, 0x300000L);
    private static final Map<String, Topology.Kind> GUID_WORDS = Map.of("switchguid", Topology.Kind.SWITCH, "switchguids",
        Topology.Kind.SWITCH, "caguid", Topology.Kind.CA, "caguids", Topology.Kind.CA, "hcaguids", Topology.Kind.CA, "hcaguid",
        Topology.Kind.CA, "rtguid", Topology.Kind.ROUTER, "rtguids", Topology.Kind.ROUTER);
    private static final Map<String, Integer> WIDTHS = Map.of("1", 1, "4", 3, "8", 7, "12", 11, "2", 17);
    private static final Map<String, Topology.Rate> SPEEDS = Map.of("SDR", speed(1, 0), "DDR", speed(3, 0), "QDR", speed(7, 0), "FDR10",
        speed(7, 0), "FDR", speed(7, 1), "EDR", speed(7, 3), "HDR", speed(7, 7), "NDR", speed(7, 15));

    private final UnaryOperator<String> files;
    private final Map<String, Topology.Node> nodes = new LinkedHashMap<>();
    /** Lines of ports, in their order. */
    private final List<Mention> mentions = new ArrayList<>();
    private final Map<Topology.Kind, Long> nextGuids = new HashMap<>(FIRST_GUIDS);
    private Topology.Rate usual = Topology.Rate.SDR_4X;
    private int vendorId;
    private int deviceId;
    private Long systemGuid;
    private Long guid;
    private int includes;

    /** A line of a port: the cable that begins there. */
    private record Mention(int line, Topology.End from, Topology.End to, Topology.Rate rate) {
    }

    private TopologyReader(UnaryOperator<String> files) {
        this.files = files;
    }

    /**
     * Reads a file.
     *
     * @param text  content of the file
     * @param files content of included files by name; may throw
     * @throws TopologyException a line has an error, or the cables contradict each other
     */
    public static Topology read(String text, UnaryOperator<String> files) {
        TopologyReader reader = new TopologyReader(files);
        reader.readAll(text);
        if (reader.nodes.isEmpty()) {
            throw new TopologyException("the topology has no nodes; a node's first line is: Switch|Ca PORTS \"ID\" # \"DESCRIPTION\"");
        }
        return new Topology(List.copyOf(reader.nodes.values()), reader.cables());
    }

    /** Reads a file without includes. */
    public static Topology read(String text) {
        return read(text, name -> {
            throw new TopologyException("include \"" + name + "\" is not possible here");
        });
    }

    private static Topology.Rate speed(int speed, int speedExt) {
        return new Topology.Rate(0, speed, speedExt);
    }

    private void readAll(String text) {
        Deque<String> lines = new ArrayDeque<>(text.lines().toList());
        int number = 0;
        while (!lines.isEmpty()) {
            number++;
            String line = lines.remove().strip();
            Matcher head = HEAD.matcher(line);
            if (head.matches()) {
                number += readNode(number, head, lines);
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                readDirective(number, line);
            }
        }
    }

    private void readDirective(int number, String line) {
        Matcher include = INCLUDE.matcher(line);
        if (include.matches()) {
            if (++includes > MAX_INCLUDES) {
                throw new TopologyException(number, "more than " + MAX_INCLUDES + " included files");
            }
            readAll(files.apply(include.group(1)));
            return;
        }
        Matcher property = PROPERTY.matcher(line);
        if (!property.matches()) {
            throw new TopologyException(number, "neither a node, a port, a property nor a comment: " + line);
        }
        setProperty(number, property.group(1), property.group(2));
    }

    private void setProperty(int number, String name, String text) {
        long value = number(text);
        switch (name) {
            case "vendid" -> vendorId = (int) value;
            case "devid" -> deviceId = (int) value;
            case "sysimgguid" -> systemGuid = value;
            case "width" -> usual = new Topology.Rate(bits(number, name, value, 31), usual.speed(), usual.speedExt());
            case "speed" -> usual = new Topology.Rate(usual.width(), bits(number, name, value, 7), usual.speedExt());
            case "extspeed" -> usual = new Topology.Rate(usual.width(), usual.speed(), value == 0 ? 0 : bits(number, name, value, 15));
            default -> {
                Topology.Kind kind = GUID_WORDS.get(name);
                if (kind == null) {
                    throw new TopologyException(number, "unknown property " + name);
                }
                guid = value;
            }
        }
    }

    private static long number(String text) {
        return text.startsWith("0x") || text.startsWith("0X") ? Long.parseUnsignedLong(text.substring(2), 16)
            : Long.parseUnsignedLong(text);
    }

    private static int bits(int line, String name, long value, int max) {
        if (value < 1 || value > max) {
            throw new TopologyException(line, name + " " + value + " is not in 1.." + max);
        }
        return (int) value;
    }

    /**
     * Reads the lines of a node's ports.
     *
     * @return how many there are
     */
    private int readNode(int number, Matcher head, Deque<String> lines) {
        Topology.Kind kind = switch (head.group(1)) {
            case "Switch" -> Topology.Kind.SWITCH;
            case "Rt" -> Topology.Kind.ROUTER;
            default -> Topology.Kind.CA;
        };
        int ports = Integer.parseInt(head.group(2));
        if (ports < 1 || ports > MAX_PORTS) {
            throw new TopologyException(number, ports + " ports; a node has 1.." + MAX_PORTS);
        }
        String id = head.group(3);
        if (nodes.containsKey(id)) {
            throw new TopologyException(number, "\"" + id + "\" is there twice");
        }
        Map<Integer, Long> portGuids = new HashMap<>();
        int read = 0;
        while (!lines.isEmpty() && lines.peek().stripLeading().startsWith("[")) {
            read++;
            readPort(number + read, id, ports, lines.remove().strip(), portGuids);
        }
        nodes.put(id, newNode(kind, id, ports, head.group(4).strip(), portGuids));
        vendorId = 0;
        deviceId = 0;
        systemGuid = null;
        guid = null;
        return read;
    }

    private Topology.Node newNode(Topology.Kind kind, String id, int ports, String comment, Map<Integer, Long> portGuids) {
        long own = guid == null ? nextGuids.get(kind) : guid;
        nextGuids.put(kind, own + (kind == Topology.Kind.SWITCH ? 1 : ports + 1));
        return new Topology.Node(kind, id, description(comment, id), ports, own, systemGuid == null ? own : systemGuid, vendorId, deviceId,
            Map.copyOf(portGuids), comment.contains("enhanced port 0"));
    }

    private static String description(String comment, String id) {
        Matcher quoted = QUOTED_COMMENT.matcher(comment);
        if (quoted.matches()) {
            return quoted.group(1);
        }
        Matcher plain = PLAIN_COMMENT.matcher(comment);
        return plain.matches() && !plain.group(1).isBlank() ? plain.group(1) : id;
    }

    private void readPort(int number, String id, int ports, String line, Map<Integer, Long> portGuids) {
        Matcher port = PORT.matcher(line);
        if (!port.matches()) {
            throw new TopologyException(number, "not a port's line, [PORT] \"ID\"[PORT]: " + line);
        }
        int own = Integer.parseInt(port.group(1));
        if (own < 1 || own > ports) {
            throw new TopologyException(number, "port " + own + " of \"" + id + "\", which has 1.." + ports);
        }
        if (port.group(2) != null) {
            portGuids.put(own, Long.parseUnsignedLong(port.group(2), 16));
        }
        int peer = port.group(4) == null ? 1 : Integer.parseInt(port.group(4));
        mentions.add(new Mention(number, new Topology.End(id, own), new Topology.End(port.group(3), peer), rate(port.group(5))));
    }

    private Topology.Rate rate(String rest) {
        Topology.Rate rate = usual;
        Matcher link = LINK.matcher(rest);
        if (link.find() && WIDTHS.containsKey(link.group(1))) {
            Topology.Rate speed = SPEEDS.get(link.group(2));
            rate = new Topology.Rate(WIDTHS.get(link.group(1)), speed.speed(), speed.speedExt());
        }
        Matcher option = OPTION.matcher(rest);
        while (option.find()) {
            int value = (int) number(option.group(2));
            rate = switch (option.group(1)) {
                case "w" -> new Topology.Rate(value, rate.speed(), rate.speedExt());
                case "s" -> new Topology.Rate(rate.width(), value == 0 ? 4 : value, rate.speedExt());
                default -> new Topology.Rate(rate.width(), rate.speed(), value);
            };
        }
        return rate;
    }

    /** Joins the two lines of each cable; one line is enough. */
    private List<Topology.Cable> cables() {
        Map<Topology.End, Topology.End> peers = new HashMap<>();
        List<Topology.Cable> cables = new ArrayList<>();
        for (Mention each : mentions) {
            Topology.Node peer = nodes.get(each.to.node());
            if (peer == null) {
                throw new TopologyException(each.line, "\"" + each.to.node() + "\" is not in the file");
            }
            if (each.to.port() < 1 || each.to.port() > peer.ports()) {
                throw new TopologyException(each.line,
                    "port " + each.to.port() + " of \"" + peer.id() + "\", which has 1.." + peer.ports());
            }
            if (each.from.equals(each.to)) {
                throw new TopologyException(each.line, each.from + " is connected to itself");
            }
            Topology.End known = peers.putIfAbsent(each.from, each.to);
            Topology.End back = peers.putIfAbsent(each.to, each.from);
            if (known != null && !known.equals(each.to) || back != null && !back.equals(each.from)) {
                throw new TopologyException(each.line, each.from + " is connected to " + (known == null ? each.to : known) + ", and "
                    + each.to + " to " + (back == null ? each.from : back) + "; a port has one cable");
            }
            if (known == null) {
                cables.add(new Topology.Cable(each.from, each.to, each.rate));
            }
        }
        return List.copyOf(cables);
    }
}
