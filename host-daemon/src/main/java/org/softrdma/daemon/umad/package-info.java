// SPDX-License-Identifier: Apache-2.0
/**
 * {@code /dev/infiniband/umadN}: management datagrams of programs, on the device's queue pair 1.
 *
 * <p>Reading order: {@link org.softrdma.daemon.umad.UmadDevice}; {@code UmadFile}, one open of it, with the program's ioctls and writes;
 * {@code UmadRegistration} and {@code UmadAgent}, what receives; {@code UmadPort}, the distribution of received datagrams to all agents;
 * {@code UmadOutstanding}, requests that wait for answers; {@code UmadInbox}, what the program reads. {@code ManagementClass} has the facts
 * about classes.
 */
package org.softrdma.daemon.umad;
