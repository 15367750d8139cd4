// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sim;

import org.softrdma.fabric.topology.TopologyException;
import org.softrdma.fabric.topology.TopologyReader;
import org.softrdma.link.subnet.SubnetObserver;
import org.softrdma.link.subnet.SubnetSimulation;
import org.softrdma.link.subnet.SubnetSimulator;

/** The service that makes simulated subnets. */
public final class FabricSimulator implements SubnetSimulator {
    /** A simulator; for {@link java.util.ServiceLoader}. */
    public FabricSimulator() {
    }

    @Override
    public SubnetSimulation create(String topology, long seed, SubnetObserver observer) {
        try {
            return new FabricSimulation(TopologyReader.read(topology), seed, observer);
        } catch (TopologyException wrong) {
            throw new IllegalArgumentException(wrong.getMessage(), wrong);
        }
    }
}
