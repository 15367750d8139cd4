// SPDX-License-Identifier: Apache-2.0
/**
 * Linux system calls through the Foreign Function and Memory API: no native code but the C library's.
 *
 * <p>Reading order: {@link org.softrdma.linux.NativeCalls} (whether they are used), {@link org.softrdma.linux.LinuxSockets} (the calls
 * and their constants), {@link org.softrdma.linux.MessageVector}
 * (batches of messages), {@link org.softrdma.linux.WakeupEvent} and {@link org.softrdma.linux.WaitedFor} (waiting); then TCP:
 * {@link org.softrdma.linux.SocketSet} and {@link org.softrdma.linux.TcpSocket}. {@link org.softrdma.linux.MemoryLockLimit} stands apart.
 */
package org.softrdma.linux;
