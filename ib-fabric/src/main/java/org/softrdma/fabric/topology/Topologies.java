// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Makes topologies of well-known forms. Switches are called s1, s2, …, and adapters h1, h2, …; adapters have one port. */
public final class Topologies {
    private static final long SWITCH_GUID = 0x0002_5000_0020_0000L;
    private static final long CA_GUID = 0x0002_5000_0010_0000L;
    private static final int MAX_PORTS = 254;

    private final Topology.Rate rate;
    private final List<List<Topology.End>> switchPorts = new ArrayList<>();
    private final List<Topology.Cable> cables = new ArrayList<>();
    private int adapters;

    private Topologies(Topology.Rate rate) {
        this.rate = rate;
    }

    /**
     * Switches in levels, each one connected to every switch of the next level, and adapters at those of the lowest.
     *
     * @param adapters of all switches of the lowest level together, as evenly as possible
     * @param switches of each level, the lowest first
     */
    public static Topology tree(int adapters, int... switches) {
        Topologies made = new Topologies(Topology.Rate.SDR_4X);
        int first = 0;
        for (int level = 0; level < switches.length; level++) {
            int from = first;
            for (int i = 0; i < switches[level]; i++) {
                made.newSwitch();
            }
            first += switches[level];
            for (int lower = from - (level == 0 ? 0 : switches[level - 1]); lower < from; lower++) {
                for (int upper = from; upper < first; upper++) {
                    made.connect(lower, upper);
                }
            }
        }
        for (int i = 0; i < adapters; i++) {
            made.newAdapter(i % switches[0]);
        }
        return made.build();
    }

    /** Switches in a circle, with the same number of adapters at each. */
    public static Topology ring(int switches, int adaptersOfEach) {
        Topologies made = new Topologies(Topology.Rate.SDR_4X);
        for (int i = 0; i < switches; i++) {
            made.newSwitch();
        }
        for (int i = 0; i < switches; i++) {
            made.connect(i, (i + 1) % switches);
        }
        return made.withAdapters(adaptersOfEach);
    }

    /** Switches in a rectangle whose opposite edges are connected, with the same number of adapters at each. */
    public static Topology torus(int columns, int rows, int adaptersOfEach) {
        Topologies made = new Topologies(Topology.Rate.SDR_4X);
        for (int i = 0; i < columns * rows; i++) {
            made.newSwitch();
        }
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                made.connect(y * columns + x, y * columns + (x + 1) % columns);
                made.connect(y * columns + x, (y + 1) % rows * columns + x);
            }
        }
        return made.withAdapters(adaptersOfEach);
    }

    /**
     * A connected subnet of random form: a random tree of the switches, more cables, some of them parallel ones, and adapters at random
     * switches.
     */
    public static Topology random(RandomGenerator random, int switches, int moreCables, int adapters) {
        Topologies made = new Topologies(Topology.Rate.SDR_4X);
        for (int i = 0; i < switches; i++) {
            made.newSwitch();
            if (i > 0) {
                made.connect(i, random.nextInt(i));
            }
        }
        for (int i = 0; i < moreCables && switches > 1; i++) {
            int from = random.nextInt(switches);
            made.connect(from, (from + 1 + random.nextInt(switches - 1)) % switches);
        }
        for (int i = 0; i < adapters; i++) {
            made.newAdapter(random.nextInt(switches));
        }
        return made.build();
    }

    private static String switchId(int index) {
        return "s" + (index + 1);
    }

    private void newSwitch() {
        switchPorts.add(new ArrayList<>());
    }

    private Topology.End nextPort(int index) {
        List<Topology.End> used = switchPorts.get(index);
        if (used.size() == MAX_PORTS) {
            throw new TopologyException("switch " + switchId(index) + " would have more than " + MAX_PORTS + " ports");
        }
        Topology.End port = new Topology.End(switchId(index), used.size() + 1);
        used.add(port);
        return port;
    }

    private void connect(int first, int second) {
        if (first != second) {
            cables.add(new Topology.Cable(nextPort(first), nextPort(second), rate));
        }
    }

    private void newAdapter(int ofSwitch) {
        adapters++;
        cables.add(new Topology.Cable(new Topology.End("h" + adapters, 1), nextPort(ofSwitch), rate));
    }

    private Topology withAdapters(int ofEach) {
        for (int i = 0; i < ofEach; i++) {
            for (int each = 0; each < switchPorts.size(); each++) {
                newAdapter(each);
            }
        }
        return build();
    }

    private Topology build() {
        List<Topology.Node> nodes = new ArrayList<>();
        for (int i = 0; i < switchPorts.size(); i++) {
            nodes.add(new Topology.Node(Topology.Kind.SWITCH, switchId(i), switchId(i), Math.max(1, switchPorts.get(i).size()),
                SWITCH_GUID + i, SWITCH_GUID + i, 0, 0, Map.of(), false));
        }
        for (int i = 0; i < adapters; i++) {
            long guid = CA_GUID + 2L * i;
            nodes.add(new Topology.Node(Topology.Kind.CA, "h" + (i + 1), "h" + (i + 1), 1, guid, guid, 0, 0, Map.of(), false));
        }
        return new Topology(List.copyOf(nodes), List.copyOf(cables));
    }
}
