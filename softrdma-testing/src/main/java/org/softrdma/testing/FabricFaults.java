// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import org.softrdma.link.fault.FaultDirection;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.siw.sim.SimulatedTcp;

/** Faults of a whole fabric: each packet passes them once, on its way from one device to another. */
final class FabricFaults {
    /** Latency of a simulated wire where the text has no delay. */
    private static final long LATENCY_NS = 1_000;
    /** Time after which TCP has repeated a segment that was lost. */
    private static final long TCP_REPAIR_NS = 1_000_000;
    private static final int TCP_WINDOW = 1 << 16;
    private static final int TCP_SEGMENT = 1448;

    private FabricFaults() {
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if it names a direction or a seed, which a fabric has none of its own for
     * @throws org.softrdma.verbs.VerbsException EINVAL, naming the key, the value and what is allowed
     */
    static FaultPlan parse(String text) {
        LinkFaults faults = LinkFaults.parse(text);
        if (faults.direction() != FaultDirection.TX || faults.seed() != LinkFaults.DEFAULT_SEED) {
            throw new IllegalArgumentException("faults \"" + text + "\": dir and seed are for a device's link; a fabric's faults apply to "
                + "every packet once, and follow the fabric's seed");
        }
        return faults.plan();
    }

    /** Faults of a simulated wire, which has a latency. */
    static FaultPlan simulated(String text) {
        FaultPlan plan = parse(text);
        return plan.delayMaxNs() == 0 ? plan.withDelay(LATENCY_NS, LATENCY_NS) : plan;
    }

    /** The same faults as TCP shows them: what is lost, damaged or reordered arrives later. */
    static SimulatedTcp.Profile simulatedTcp(String text) {
        FaultPlan plan = simulated(text);
        double late = Math.min(1, plan.loss() + plan.bitFlip() + plan.truncation() + plan.extension() + plan.reordering());
        return new SimulatedTcp.Profile(TCP_WINDOW, TCP_SEGMENT, Math.max(1, plan.delayMaxNs()), late, TCP_REPAIR_NS);
    }
}
