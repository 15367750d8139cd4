// SPDX-License-Identifier: Apache-2.0
/**
 * The queues of work requests and completions, as records between applications and the device's owner.
 *
 * <p>Reading order: {@link org.softrdma.device.queue.WorkRing}, the ring, with {@link org.softrdma.device.queue.SendRing} and
 * {@link org.softrdma.device.queue.ReceiveRing}, its record formats; {@link org.softrdma.device.queue.ReceiveSource}, a queue pair's own
 * or shared receives; {@link org.softrdma.device.queue.ScatterGather}, the copies between packets and registered memory;
 * {@link org.softrdma.device.queue.LocalOperations}, the work requests that send nothing; {@link org.softrdma.device.queue.CompletionSink}
 * and {@link org.softrdma.device.queue.CompletionRing}, completions.
 *
 * <p>Threads: one poster at a time writes a work ring, the device's owner reads it; the owner writes a completion ring, one taker at a time
 * reads it.
 */
package org.softrdma.device.queue;
