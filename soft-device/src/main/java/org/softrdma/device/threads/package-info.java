// SPDX-License-Identifier: Apache-2.0
/** The threads of a process's devices, as the program wishes them: {@link org.softrdma.device.threads.DeviceThreads}. */
package org.softrdma.device.threads;
