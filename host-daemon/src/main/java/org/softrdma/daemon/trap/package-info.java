// SPDX-License-Identifier: Apache-2.0
/**
 * Trapped system calls: what of a program's world is ours, and whose turn it is to answer.
 *
 * <p>Reading order: {@link org.softrdma.daemon.trap.TrappedCall}; {@link org.softrdma.daemon.trap.DeviceFile}, the files of ours that calls
 * are made on; {@link org.softrdma.daemon.trap.ClientProcess}; {@link org.softrdma.daemon.trap.DeviceNode}, what programs open. Then the
 * way of a call: {@link org.softrdma.daemon.trap.Supervisor} receives it, {@code SystemCalls} decides whether it is ours, {@code PathCalls}
 * and {@code DescriptorCalls} answer it. {@code OpenFiles} and {@code Processes} say what is open and when it ends;
 * {@link org.softrdma.daemon.trap.DeviceTree} is what programs list and read.
 */
package org.softrdma.daemon.trap;
