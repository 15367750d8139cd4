// SPDX-License-Identifier: Apache-2.0
/**
 * Other processes, by calls of the Linux C library through the Foreign Function and Memory API: a program is started under a filter, its
 * notified system calls are answered, its memory is reached, and files, pipes and descriptors are shared with it.
 *
 * <p>Reading order: {@link org.softrdma.linux.process.SystemCall} and {@link org.softrdma.linux.process.SeccompFilter} (which calls are
 * notified), {@link org.softrdma.linux.process.ProcessSpawn} and {@link org.softrdma.linux.process.FilteredLaunch} (the start),
 * {@link org.softrdma.linux.process.SeccompListener} and {@link org.softrdma.linux.process.Notification} (the answers),
 * {@link org.softrdma.linux.process.ProcessMemory}, {@link org.softrdma.linux.process.ProcessVectors} and
 * {@link org.softrdma.linux.process.ProcessInfo}; then what is shared:
 * {@link org.softrdma.linux.process.SharedFile}, {@link org.softrdma.linux.process.DoorbellWatch},
 * {@link org.softrdma.linux.process.EventPipe}, {@link org.softrdma.linux.process.LocalSocket}. {@link org.softrdma.linux.process.EpollSet}
 * waits for all of them. {@link org.softrdma.linux.process.NativeHeap} returns this process's own memory.
 */
package org.softrdma.linux.process;
