// SPDX-License-Identifier: Apache-2.0
/**
 * A subnet with its managers on virtual time, to be shown: {@link org.softrdma.fabric.sim.FabricSimulator} makes a
 * {@link org.softrdma.fabric.sim.FabricSimulation}, whose {@link org.softrdma.fabric.sim.HopRecorder} reports the way of each datagram.
 */
package org.softrdma.fabric.sim;
