// SPDX-License-Identifier: Apache-2.0
/**
 * The API on the devices of the user's daemon, for Java programs that share them with C programs.
 *
 * <p>Reading order: {@link org.softrdma.daemon.client.DaemonProvider}; {@link org.softrdma.daemon.client.JoinedContext}, an open device
 * file; {@link org.softrdma.daemon.client.Ioctl}, a verb as libibverbs puts it together; {@link
 * org.softrdma.daemon.client.JoinedQueuePair} and {@link org.softrdma.daemon.client.SendWriter}, which fill the rings that librxe fills.
 */
package org.softrdma.daemon.client;
