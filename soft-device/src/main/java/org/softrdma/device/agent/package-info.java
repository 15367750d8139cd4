// SPDX-License-Identifier: Apache-2.0
/**
 * Scheduling of a device's work: by which thread, and when. Read {@link org.softrdma.device.agent.DeviceWork} (one round of work, with
 * given time), then {@link org.softrdma.device.agent.DeviceAgent} (the owner's lock, and the threads that may take it), with its parts
 * {@link org.softrdma.device.agent.Leadership}, {@link org.softrdma.device.agent.Parking} and
 * {@link org.softrdma.device.agent.AgentThread}. {@link org.softrdma.device.agent.Doorbells} carry posted work to the owner,
 * {@link org.softrdma.device.agent.DeadlineHeap} and {@link org.softrdma.device.agent.Deadline} say when time alone makes work.
 */
package org.softrdma.device.agent;
