// SPDX-License-Identifier: Apache-2.0
/**
 * Worlds that the laboratory shows: a simulated fabric to work with, running devices of this user, or a recording.
 *
 * <p>Reading order: {@link org.softrdma.lab.world.Scene}, the description; {@link org.softrdma.lab.world.SimulatedWorld} with Actions, the
 * running thing; {@link org.softrdma.lab.world.SubnetWorld}, that of an InfiniBand subnet;
 * {@link org.softrdma.lab.world.WorldThread}, their thread; {@link org.softrdma.lab.world.RunningDevices}, the devices of other processes;
 * {@link org.softrdma.lab.world.RecordedWorld}, files.
 */
package org.softrdma.lab.world;
