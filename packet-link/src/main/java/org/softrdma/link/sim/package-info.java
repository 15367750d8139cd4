// SPDX-License-Identifier: Apache-2.0
/**
 * A simulated network on virtual time, in which every run can be repeated from its seed.
 *
 * <p>Reading order: {@link org.softrdma.link.sim.SimulatedFabric} (the network and its clock), {@link org.softrdma.link.sim.SimulatedLink}
 * and {@link org.softrdma.link.sim.LinkProfile} (a device's port), {@link org.softrdma.link.sim.SwitchPort} (queue and congestion marks),
 * {@link org.softrdma.link.sim.Fate} and {@link org.softrdma.link.sim.PacketObserver} (what tests see of each packet).
 */
package org.softrdma.link.sim;
