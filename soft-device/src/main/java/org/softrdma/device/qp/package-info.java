// SPDX-License-Identifier: Apache-2.0
/**
 * The part of a queue pair's protocol machine that all transports share. Pure: no socket, lock, thread or clock.
 *
 * <p>Reading order: {@link org.softrdma.device.qp.WorkQueues}, the port to the application's side;
 * {@link org.softrdma.device.qp.QueuePairCore}, the life cycle and the calling contract of a machine;
 * {@link org.softrdma.device.qp.SendCompletions} and {@link org.softrdma.device.qp.ReceiveCompletions}, the ends of work requests;
 * {@link org.softrdma.device.qp.FaultDomain}, what a failure stops.
 */
package org.softrdma.device.qp;
