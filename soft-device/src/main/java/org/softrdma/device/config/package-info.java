// SPDX-License-Identifier: Apache-2.0
/**
 * Which devices exist on this machine for this user: the network interfaces there are, and the links {@code rdma link} keeps in a file.
 * Nothing here opens a socket.
 */
package org.softrdma.device.config;
