// SPDX-License-Identifier: Apache-2.0
/**
 * Seeds of InfiniBand's connection management: machines that connect and disconnect on a faulty network.
 *
 * <p>Reading order: {@link org.softrdma.simulator.cm.CmSeedRun}, a run from beginning to end and its checks; {@code CmMachine}, which can
 * crash; {@code CmEnd}, one end of a connection as an application has it; {@code CmOutcome}.
 */
package org.softrdma.simulator.cm;
