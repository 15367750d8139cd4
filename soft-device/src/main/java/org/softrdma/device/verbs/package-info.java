// SPDX-License-Identifier: Apache-2.0
/**
 * The verbs objects of soft devices, for all transports.
 *
 * <p>Reading order: {@link org.softrdma.device.verbs.SoftContext}, the factory of the other objects;
 * {@link org.softrdma.device.verbs.SoftQueuePair} with {@link org.softrdma.device.verbs.SendPosting},
 * {@link org.softrdma.device.verbs.SoftCompletionQueue}, {@link org.softrdma.device.verbs.SoftSharedReceiveQueue} and
 * {@link org.softrdma.device.verbs.SoftProtectionDomain}, the application's side of the data path;
 * {@link org.softrdma.device.verbs.Dependents}, {@link org.softrdma.device.verbs.EventQueue} and
 * {@link org.softrdma.verbs.provider.EventAcks}, the rules of destroying objects and of events;
 * {@link org.softrdma.device.verbs.DevicePort} and {@link org.softrdma.device.verbs.RunningDevices}, the devices that run in this process.
 *
 * <p>Lock order: the readers' lock of a completion ring, if nested, is taken before the lock of the device's owner, and the owner's lock
 * before the posters' lock of a shared receive queue.
 */
package org.softrdma.device.verbs;
