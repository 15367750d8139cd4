// SPDX-License-Identifier: Apache-2.0
/**
 * Devices at ports of a running fabric. Reading order: {@link org.softrdma.fabric.device.FabricLinkType} (the options of a link),
 * {@link org.softrdma.fabric.device.FabricProvider}, {@link org.softrdma.fabric.device.AttachedPort} (the connection to the fabric),
 * {@link org.softrdma.fabric.device.FabricLink} (packets).
 */
package org.softrdma.fabric.device;
