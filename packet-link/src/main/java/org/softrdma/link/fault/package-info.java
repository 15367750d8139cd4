// SPDX-License-Identifier: Apache-2.0
/**
 * Faults of a wire, shared by the simulated fabric and the links of real devices: which packets are affected, and how, follows from a seed.
 *
 * <p>Reading order: {@link org.softrdma.link.fault.FaultPlan} (rates and times) and {@link org.softrdma.link.fault.LinkFaults} (plan,
 * direction and seed of one link); {@link org.softrdma.link.fault.Wire} (loss, duplication and delay of one direction) and
 * {@link org.softrdma.link.fault.Damage} (changed bytes); then {@link org.softrdma.link.fault.FaultyLink} with {@code FaultyDirection} and
 * {@link org.softrdma.link.fault.HeldPackets}, which apply them to a real link.
 */
package org.softrdma.link.fault;
