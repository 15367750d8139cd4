// SPDX-License-Identifier: Apache-2.0
/**
 * How a process lets others of its user see what it has on its devices, and how they look: what {@code rdma resource} and
 * {@code rdma statistic} show. A device lives in the process that opened it, so there is nobody else to ask.
 *
 * <p>A process with open devices listens on a Unix domain socket in the user's state directory, in a directory that is the user's alone.
 * Whoever connects is sent one {@link org.softrdma.device.inspect.ProcessReport} as text and nothing is read from him;
 * {@link org.softrdma.device.inspect.RunningProcesses} asks all of them at once, and waits for none longer than its deadline.
 */
package org.softrdma.device.inspect;
