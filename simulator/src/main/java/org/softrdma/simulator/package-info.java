// SPDX-License-Identifier: Apache-2.0
/**
 * Seeds: random workloads on a faulty network in virtual time, checked by oracles that share no code with the devices. Begin with
 * {@link org.softrdma.simulator.SeedRun}; docs/simulator.md tells the whole story.
 */
package org.softrdma.simulator;
