// SPDX-License-Identifier: Apache-2.0
/**
 * Simulation of devices on virtual time, without threads or sockets. Runs are reproducible from their seed.
 *
 * <p>Reading order: {@link org.softrdma.device.sim.VirtualWorld}, the clock and its events; {@link org.softrdma.device.sim.Simulation}, the
 * loop that runs the devices.
 */
package org.softrdma.device.sim;
