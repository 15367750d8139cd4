// SPDX-License-Identifier: Apache-2.0
/**
 * The skeleton of a running device, for all transports.
 *
 * <p>Reading order: {@link org.softrdma.device.engine.DeviceEngine}, one round of work and the objects of a device;
 * {@link org.softrdma.device.engine.Guard}, the containment of failures; {@link org.softrdma.device.engine.RunningDevice}, an engine with
 * its agent, port and clock, from the first context to the last.
 */
package org.softrdma.device.engine;
