// SPDX-License-Identifier: Apache-2.0
/**
 * Introspection between the processes of a user, for {@code rdma resource} and {@code rdma statistic}: a device lives in the process that
 * opened it, so only that process knows its objects and counters.
 *
 * <p>A process with open devices listens on a Unix domain socket in a private directory within the user's state directory. Each client
 * receives one report as text; nothing is read from the client.
 *
 * <p>Reading order: {@link org.softrdma.host.inspect.ProcessReport} and its parts, {@link org.softrdma.host.inspect.ProcessPublisher}
 * (the sending side), {@link org.softrdma.host.inspect.RunningProcesses} (the reading side, with a deadline for all together),
 * {@code ReportText} (the format), {@code ProcessDirectory}.
 */
package org.softrdma.host.inspect;
