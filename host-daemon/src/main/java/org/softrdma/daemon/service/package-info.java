// SPDX-License-Identifier: Apache-2.0
/**
 * The adapter as a service: the user's devices for programs, in the process of one {@code run} or in the daemon that all share.
 *
 * <p>Reading order: {@link org.softrdma.daemon.service.ProgramRun}, the start of a program;
 * {@link org.softrdma.daemon.service.Adapter}, what
 * answers its calls; {@code HostDevices}, the devices that it shows, and {@code DeviceSheet}, what sysfs says about them.
 */
package org.softrdma.daemon.service;
