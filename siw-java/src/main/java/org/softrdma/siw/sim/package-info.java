// SPDX-License-Identifier: Apache-2.0
/**
 * TCP on virtual time, for simulations: {@link org.softrdma.siw.sim.SimulatedTcp} is one connection, whose faults follow from a seed. A
 * class of this package uses no clock, socket or random source of its own.
 */
package org.softrdma.siw.sim;
