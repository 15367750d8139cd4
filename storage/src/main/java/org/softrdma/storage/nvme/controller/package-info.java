// SPDX-License-Identifier: Apache-2.0
/**
 * The protocol machine of an NVMe target: capsules and completions in, work requests out. One {@link QueueMachine} for each connection, on
 * one thread at a time; {@link Subsystem} and {@link Controller} are shared by them.
 *
 * <p>Reading order: {@link Subsystem}, {@link Controller}, {@link QueueMachine}, {@link CommandSlot}, {@link DataPointer},
 * {@link FabricsCommands}, {@link AdminCommands}, {@link Identification}, {@link Features}, {@link IoCommands}, {@link DiscoveryCommands}.
 */
package org.softrdma.storage.nvme.controller;
