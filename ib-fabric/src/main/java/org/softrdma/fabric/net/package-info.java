// SPDX-License-Identifier: Apache-2.0

/**
 * IP over InfiniBand in real time: {@link org.softrdma.fabric.net.IpoibProcess} runs the machine of {@code fabric.ipoib} on a queue pair,
 * between a port and an {@link org.softrdma.fabric.net.IpEnd}: the host's IP stack, or a small one in this process.
 */
package org.softrdma.fabric.net;
