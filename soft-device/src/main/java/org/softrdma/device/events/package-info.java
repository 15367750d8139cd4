// SPDX-License-Identifier: Apache-2.0
/**
 * The flight recorder: {@link org.softrdma.device.events.EventRing} observes one end, {@link org.softrdma.device.events.EventRings} are
 * those of a device, {@link org.softrdma.device.events.EventDecoder} turns copied slots into events for people and files.
 */
package org.softrdma.device.events;
