// SPDX-License-Identifier: Apache-2.0
/**
 * Configuration of the devices on this machine: the network interfaces, and the links that {@code rdma link} keeps in a file. Nothing here
 * opens a socket, and nothing here knows a transport: providers declare their types of links and the options of each.
 *
 * <p>Reading order: {@link org.softrdma.device.config.LinkType} and {@link org.softrdma.device.config.LinkOption} (what a provider
 * declares), {@link org.softrdma.device.config.LinkStore} (the file), {@link org.softrdma.device.config.ConfiguredLink} (a line of it),
 * {@link org.softrdma.device.config.ConfiguredDevices} (the devices made of it), {@link org.softrdma.device.config.OptionWatch} and
 * {@link org.softrdma.device.config.DeletionWatch} (changes while a device runs), {@link org.softrdma.device.config.NetDevice}.
 */
package org.softrdma.device.config;
