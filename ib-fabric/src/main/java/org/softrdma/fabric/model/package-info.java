// SPDX-License-Identifier: Apache-2.0
/**
 * The hardware of a subnet: {@link org.softrdma.fabric.model.Fabric} has {@link org.softrdma.fabric.model.FabricNode}s, some of them
 * {@link org.softrdma.fabric.model.FabricSwitch}es, with {@link org.softrdma.fabric.model.FabricPort}s and
 * {@link org.softrdma.fabric.model.Cable}s between them. {@code PacketRouter} and {@code DirectedRoute} follow packets, {@code SubnetAgent}
 * and {@code PerformanceAgent} execute requests of management, {@code LinkControl} has the states of links, and {@code TrapSender} reports
 * what happens. Pure: no clock, no socket, no thread.
 */
package org.softrdma.fabric.model;
