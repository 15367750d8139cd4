// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.subnet;

/** Makes simulated subnets; found with {@link java.util.ServiceLoader}. */
public interface SubnetSimulator {
    /**
     * Makes a subnet without power: no link is up, and no manager runs.
     *
     * @param topology nodes and cables, as {@code ibnetdiscover} prints them
     * @param seed     of everything random
     * @param observer receives what happens
     * @throws IllegalArgumentException the topology has an error
     */
    SubnetSimulation create(String topology, long seed, SubnetObserver observer);
}
