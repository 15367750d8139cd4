// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.softrdma.lab.ladder.Ladder;
import org.softrdma.lab.ladder.PacketFormat;
import org.softrdma.link.subnet.SubnetObserver;
import org.softrdma.link.subnet.SubnetSimulation;
import org.softrdma.link.subnet.SubnetSimulation.CableView;
import org.softrdma.link.subnet.SubnetSimulation.NodeView;
import org.softrdma.link.subnet.SubnetSimulator;

/**
 * An InfiniBand subnet that a learner works with: switches, hosts and cables, subnet managers, and packets between hosts. The module of
 * fabrics provides it, and is looked for when the first one is opened.
 */
public final class SubnetWorld implements Simulation {
    private static final int MAX_LOG = 20_000;
    /** Length of an arrow: that of a hop in the simulation. */
    private static final long HOP_NS = 500;
    private static final long PACKET_INTERVAL_NS = 20_000;
    private static final int DEFAULT_PRIORITY = 3;
    private static final Pattern LOSS = Pattern.compile("drop=(\\d{1,2}(?:\\.\\d+)?|100)%");
    private static final double PERCENT = 100;

    private final Scene scene;
    private final SubnetSimulation subnet;
    private final List<String> names = new ArrayList<>();
    private final Ladder ladder = new Ladder();
    private final List<Happening> log = new ArrayList<>();
    private final List<Command> commands = new ArrayList<>();
    private String faults = "none";
    private String shownRoute = "";
    private boolean observed;
    private int received;
    private int lost;

    /**
     * A way through the subnet, by the tables that the switches have.
     *
     * @param nodes    nodes that a packet reaches, the sender first
     * @param obstacle why it ends before its destination; empty if it does not
     */
    record Route(List<Integer> nodes, String obstacle) {
    }

    /** A switch's table as the page shows it: the output port for each node's LID, -1 for none. */
    private record ShownNode(String name, boolean isSwitch, int lid, String manager, List<Integer> table, List<Integer> groupPorts) {
    }

    /** A cable as the page draws it. */
    private record ShownCable(int first, int firstPort, String firstState, int second, int secondPort, String secondState,
                              boolean plugged) {
    }

    public SubnetWorld(Scene scene) {
        this.scene = scene.checked();
        SubnetSimulator simulator = ServiceLoader.load(SubnetSimulator.class, SubnetSimulator.class.getClassLoader()).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("this lesson needs the module org.softrdma.fabric (softrdma-fabric.jar)"));
        subnet = simulator.create(String.join("\n", scene.subnet().topology()) + "\n", scene.seed(), new Observer());
        subnet.nodes().forEach(each -> names.add(each.name()));
        setFaults(scene.faults());
        if (scene.subnet().manager() != null) {
            powerOn();
            subnet.manage(scene.subnet().manager(), DEFAULT_PRIORITY);
            boolean busy = true;
            while (busy) {
                busy = subnet.step();
            }
        }
        observed = true;
        shownRoute = text(route(scene.subnet().from(), scene.subnet().to()));
    }

    // ---- what happens ----

    private final class Observer implements SubnetObserver {
        @Override
        public void onHop(long sentNs, int from, int to, Kind kind, byte[] bytes, String drop) {
            if (!observed) {
                return;
            }
            PacketFormat format = kind == Kind.DATA ? PacketFormat.LRH : PacketFormat.MAD;
            ladder.addHop(sentNs, sentNs + HOP_NS, from, to, bytes, format, reason(drop));
            if (!drop.isEmpty()) {
                lost += kind == Kind.DATA ? 1 : 0;
                note(sentNs, "failure", (kind == Kind.DATA ? "data packet" : "management datagram") + " lost between " + names.get(from)
                    + " and " + names.get(to) + ": " + reason(drop));
            }
        }

        @Override
        public void onPortState(long nowNs, int node, int port, String before, String now) {
            note(nowNs, "event", names(node) + " port " + port + ": " + before + " → " + now);
        }

        @Override
        public void onLid(long nowNs, int node, int port, int lid) {
            note(nowNs, "event", names(node) + (port == 0 ? "" : " port " + port) + ": LID " + lid);
        }

        @Override
        public void onForwarding(long nowNs, int node) {
            note(nowNs, "event", names(node) + ": forwarding table written");
        }

        @Override
        public void onManager(long nowNs, int node, String event) {
            note(nowNs, "event", "subnet manager at " + names(node) + ": " + event);
        }

        @Override
        public void onData(long nowNs, int node, int number) {
            received++;
            note(nowNs, "completion", names(node) + " received packet " + number);
        }
    }

    private String names(int node) {
        return observed ? names.get(node) : "";
    }

    private static String reason(String drop) {
        return drop.isEmpty() ? "" : drop.substring(drop.indexOf('_') + 1).toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private void note(long nowNs, String kind, String text) {
        if (observed && log.size() < MAX_LOG) {
            log.add(new Happening(nowNs, kind, -1, text));
        }
    }

    private void watchRoute() {
        String now = text(route(scene.subnet().from(), scene.subnet().to()));
        if (!now.equals(shownRoute)) {
            shownRoute = now;
            note(nowNs(), "event", now);
        }
    }

    // ---- what a learner does ----

    @Override
    public void execute(Command command) {
        commands.add(command);
        switch (String.valueOf(command.action())) {
            case "power" -> {
                note("everything is switched on");
                powerOn();
            }
            case "manage" -> {
                int priority = command.count() == null ? DEFAULT_PRIORITY : command.count();
                require(priority >= 0 && priority <= 15, "priority " + priority + "; 0 to 15 are allowed");
                int node = node(command.device());
                subnet.manage(node, priority);
                note("a subnet manager starts at " + names.get(node) + ", priority " + priority);
            }
            case "end_manager" -> {
                int node = node(command.device());
                subnet.endManager(node);
                note("the subnet manager at " + names.get(node) + " ends");
            }
            case "join" -> {
                int node = node(command.device());
                note(names.get(node) + " joins the broadcast group");
                subnet.join(node);
            }
            case "transfer" -> transfer(command);
            case "pull" -> {
                int cable = cable(command.cable());
                note("pulled: " + text(subnet.cables().get(cable)));
                subnet.pull(cable);
            }
            case "plug" -> {
                int cable = cable(command.cable());
                note("plugged in: " + text(subnet.cables().get(cable)));
                subnet.plug(cable);
            }
            case "faults" -> {
                setFaults(command.text() == null || command.text().isBlank() ? "none" : command.text());
                note("faults of the cables: " + faults);
            }
            default -> throw new IllegalArgumentException("unknown action " + command.action() + " in a subnet");
        }
        watchRoute();
    }

    private void note(String action) {
        note(nowNs(), "action", action);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private int node(Integer number) {
        require(number != null && number >= 0 && number < names.size(), "there is no node " + number);
        return number;
    }

    private int cable(Integer number) {
        require(number != null && number >= 0 && number < subnet.cables().size(), "there is no cable " + number);
        return number;
    }

    private void powerOn() {
        for (int i = 0; i < subnet.cables().size(); i++) {
            subnet.plug(i);
        }
    }

    private void transfer(Command command) {
        int from = node(command.device());
        boolean group = command.to() != null && command.to() == SubnetSimulation.TO_GROUP;
        int to = group ? SubnetSimulation.TO_GROUP : node(command.to());
        int count = command.countOr(1);
        subnet.send(from, to, count, PACKET_INTERVAL_NS);
        note(names.get(from) + " sends " + count + " packets to " + (group ? "the broadcast group" : names.get(to)));
    }

    /** Takes over faults: {@code none}, or {@code drop=} with a share in percent, which is all that cables of a subnet have. */
    private void setFaults(String text) {
        Matcher loss = LOSS.matcher(text);
        require(text.equals("none") || loss.matches(), "\"" + text + "\"; cables of a subnet have none, or drop=N%");
        subnet.loss(text.equals("none") ? 0 : Double.parseDouble(loss.group(1)) / PERCENT);
        faults = text;
    }

    static void checkFaults(String text) {
        require(text != null && (text.equals("none") || LOSS.matcher(text).matches()),
            "\"" + text + "\"; cables of a subnet have none, or drop=N%");
    }

    @Override
    public boolean step() {
        boolean goesOn = subnet.step();
        watchRoute();
        return goesOn;
    }

    // ---- what there is ----

    /** Follows a packet through the tables of the switches. */
    Route route(int from, int to) {
        List<NodeView> nodes = subnet.nodes();
        List<CableView> cables = subnet.cables();
        List<Integer> way = new ArrayList<>(List.of(from));
        if (nodes.get(to).lid() == 0) {
            return new Route(way, names.get(to) + " has no LID");
        }
        int here = from;
        while (here != to) {
            int port = nodes.get(here).isSwitch() ? subnet.outputPort(here, nodes.get(to).lid()) : 1;
            if (port == SubnetSimulation.NO_PORT) {
                return new Route(way, names.get(here) + " has no entry for LID " + nodes.get(to).lid());
            }
            int next = -1;
            for (CableView each : cables) {
                next = each.first() == here && each.firstPort() == port && each.plugged() ? each.second() : next;
                next = each.second() == here && each.secondPort() == port && each.plugged() ? each.first() : next;
            }
            if (next < 0) {
                return new Route(way, "port " + port + " of " + names.get(here) + " has no link");
            }
            if (way.contains(next)) {
                return new Route(way, "a loop");
            }
            way.add(next);
            here = next;
        }
        return new Route(way, "");
    }

    private String text(Route route) {
        String pair = names.get(scene.subnet().from()) + " to " + names.get(scene.subnet().to());
        String way = String.join(" → ", route.nodes().stream().map(names::get).toList());
        return "route from " + pair + ": " + way + (route.obstacle().isEmpty() ? "" : ", and no further: " + route.obstacle());
    }

    private String text(CableView cable) {
        return names.get(cable.first()) + " port " + cable.firstPort() + " – " + names.get(cable.second()) + " port " + cable.secondPort();
    }

    /**
     * A number that goals are checked against.
     *
     * @param node of {@code lid}, {@code routes} (LIDs of nodes that the switch has a port for) and {@code group_ports}
     * @param name one of these, or {@code active_ports}, {@code received} or {@code lost}, which are of the whole subnet
     * @throws IllegalArgumentException for another name
     */
    public long fact(int node, String name) {
        List<NodeView> nodes = subnet.nodes();
        return switch (name) {
            case "lid" -> nodes.get(node).lid();
            case "routes" -> nodes.stream().filter(each -> each.lid() != 0
                && subnet.outputPort(node, each.lid()) != SubnetSimulation.NO_PORT).count();
            case "group_ports" -> groupPorts(nodes, node).size();
            case "active_ports" -> subnet.cables().stream()
                .mapToInt(each -> (each.firstState().equals("Active") ? 1 : 0) + (each.secondState().equals("Active") ? 1 : 0)).sum();
            case "received" -> received;
            case "lost" -> lost;
            default -> throw new IllegalArgumentException("a subnet has no " + name);
        };
    }

    private List<Integer> groupPorts(List<NodeView> nodes, int node) {
        List<Integer> ports = new ArrayList<>();
        for (int port = 0; port <= nodes.get(node).ports(); port++) {
            if (subnet.isGroupPort(node, SubnetSimulation.GROUP_LID, port)) {
                ports.add(port);
            }
        }
        return ports;
    }

    @Override
    public long nowNs() {
        return subnet.nowNs();
    }

    @Override
    public Scene scene() {
        return scene;
    }

    @Override
    public String faults() {
        return faults;
    }

    @Override
    public Ladder ladder() {
        return ladder;
    }

    @Override
    public List<Happening> log() {
        return log;
    }

    @Override
    public List<Command> commands() {
        return commands;
    }

    @Override
    public List<String> lanes() {
        return names;
    }

    /** The subnet, for tests that look at it without this class. */
    SubnetSimulation subnet() {
        return subnet;
    }

    @Override
    public void describe(Cursor seen, Map<String, Object> news) {
        List<NodeView> nodes = subnet.nodes();
        List<ShownNode> shown = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            NodeView node = nodes.get(i);
            List<Integer> table = new ArrayList<>();
            if (node.isSwitch()) {
                for (NodeView to : nodes) {
                    int port = to.lid() == 0 ? SubnetSimulation.NO_PORT : subnet.outputPort(i, to.lid());
                    table.add(port == SubnetSimulation.NO_PORT ? -1 : port);
                }
            }
            shown.add(new ShownNode(node.name(), node.isSwitch(), node.lid(), node.manager(), table, groupPorts(nodes, i)));
        }
        Route route = route(scene.subnet().from(), scene.subnet().to());
        Map<String, Object> drawn = new LinkedHashMap<>();
        drawn.put("nodes", shown);
        drawn.put("cables", subnet.cables().stream().map(each -> new ShownCable(each.first(), each.firstPort(), each.firstState(),
            each.second(), each.secondPort(), each.secondState(), each.plugged())).toList());
        drawn.put("route", route.nodes());
        drawn.put("routeText", text(route));
        drawn.put("from", scene.subnet().from());
        drawn.put("to", scene.subnet().to());
        news.put("subnet", drawn);
        news.put("hosts", List.of());
    }

    @Override
    public void close() {
        observed = false;
    }
}
