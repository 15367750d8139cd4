// SPDX-License-Identifier: Apache-2.0
/**
 * Fabrics in processes: {@link org.softrdma.fabric.run.FabricProcess} is what {@code softrdma fabric run} starts,
 * {@link org.softrdma.fabric.host.FabricHost} drives a fabric in real time, {@link org.softrdma.fabric.run.FabricService} serves other
 * processes, which find it in the {@link org.softrdma.fabric.run.FabricDirectory} and talk to it by a {@code Session}.
 * {@link org.softrdma.fabric.run.ManagerProcess} is what {@code softrdma sm} runs.
 */
package org.softrdma.fabric.run;
