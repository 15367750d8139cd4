// SPDX-License-Identifier: Apache-2.0
/**
 * Seeds of iWARP: workloads over simulated TCP connections, and the set-up of connections.
 *
 * <p>Reading order: {@link org.softrdma.simulator.iwarp.IwarpSeedRun}, a run from beginning to end;
 * {@link org.softrdma.simulator.iwarp.IwarpScenario}, what a seed draws; {@code MessageStream}, the work of one direction and what must
 * come of it; {@code StreamChecker}, the observer on the wire, with {@code FpduCutter} and {@code StreamRules};
 * {@link org.softrdma.simulator.iwarp.SetupSeedRun}, the set-up; {@link org.softrdma.simulator.iwarp.MixedSeedRun}, RoCE and iWARP in one
 * simulation.
 */
package org.softrdma.simulator.iwarp;
