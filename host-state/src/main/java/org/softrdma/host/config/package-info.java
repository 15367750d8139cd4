// SPDX-License-Identifier: Apache-2.0
/**
 * Configuration of the devices on this machine: the network interfaces, and the links that {@code rdma link} keeps in a file. Nothing here
 * opens a socket, and nothing here knows a transport: providers declare their types of links and the options of each.
 *
 * <p>Reading order: {@link org.softrdma.host.config.LinkType} and {@link org.softrdma.host.config.LinkOption} (what a provider
 * declares), {@link org.softrdma.host.config.LinkStore} (the file), {@link org.softrdma.host.config.ConfiguredLink} (a line of it),
 * {@link org.softrdma.host.config.ConfiguredDevices} (the devices made of it), {@link org.softrdma.host.config.OptionWatch} and
 * {@link org.softrdma.host.config.DeletionWatch} (changes while a device runs), {@link org.softrdma.host.config.NetDevice}.
 */
package org.softrdma.host.config;
