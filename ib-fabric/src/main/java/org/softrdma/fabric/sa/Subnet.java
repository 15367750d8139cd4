// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.wire.ib.IbRate;

/** A subnet as its manager's last sweep left it. It does not change any more. */
public final class Subnet {
    /** GID prefix of all ports. */
    public static final long PREFIX = 0xFE80_0000_0000_0000L;

    private final List<SubnetNode> nodes;
    private final SubnetPort manager;
    private final List<SubnetPort> ends = new ArrayList<>();
    private final Map<Integer, SubnetPort> byLid = new HashMap<>();
    private final Map<Long, SubnetPort> byGuid = new HashMap<>();

    /**
     * Limits of packets on their way from one port to another.
     *
     * @param mtu  code of the least MTU of a port or link
     * @param rate code of the least rate of a link
     */
    record Path(SubnetPort from, SubnetPort to, int mtu, int rate) {
    }

    /**
     * Creates a subnet.
     *
     * @param manager the port of the subnet manager
     */
    public Subnet(List<SubnetNode> nodes, SubnetPort manager) {
        this.nodes = List.copyOf(nodes);
        this.manager = manager;
        for (SubnetNode node : nodes) {
            for (SubnetPort each : node.ports()) {
                if (each.isEnd() && each.lid() != 0) {
                    ends.add(each);
                    byLid.put(each.lid(), each);
                    byGuid.put(each.guid(), each);
                }
            }
        }
    }

    List<SubnetNode> nodes() {
        return nodes;
    }

    SubnetPort manager() {
        return manager;
    }

    /** Ports with a LID of their own. */
    List<SubnetPort> ends() {
        return ends;
    }

    /** The port with that LID, or null. */
    SubnetPort byLid(int lid) {
        return byLid.get(lid);
    }

    /** The port with that GID, or null. */
    SubnetPort byGid(long high, long low) {
        return high == PREFIX ? byGuid.get(low) : null;
    }

    /** Follows the forwarding tables; null if they do not lead there. */
    Path path(SubnetPort from, SubnetPort to) {
        int mtu = Math.min(from.greatestMtu(), to.greatestMtu());
        if (from == to) {
            return new Path(from, to, mtu, from.rate());
        }
        int rate = 0;
        SubnetPort out = from.node().isSwitch() ? from.node().output(to.lid()) : from;
        for (int hops = 0; hops <= nodes.size() && out != null && out.peer() != null; hops++) {
            mtu = Math.min(mtu, out.mtu());
            rate = rate == 0 || IbRate.hundredMbps(out.rate()) < IbRate.hundredMbps(rate) ? out.rate() : rate;
            SubnetPort in = out.peer();
            if (in == to || to.number() == 0 && in.node() == to.node()) {
                return new Path(from, to, mtu, rate);
            }
            out = in.node().isSwitch() ? in.node().output(to.lid()) : null;
        }
        return null;
    }
}
