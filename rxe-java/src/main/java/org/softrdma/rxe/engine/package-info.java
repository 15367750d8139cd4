// SPDX-License-Identifier: Apache-2.0

/**
 * Engine of an rxe device: everything between the link and the protocol machines of {@code org.softrdma.rxe.qp}. Used by the device's
 * owner only, on one thread at a time.
 *
 * <p>Reading order: {@code RxeEngine} (one round of the data path), {@code PacketReceiver} and {@code PacketVerifier} (the edge),
 * {@code Gsi} (queue pair 1), then {@code DeviceObjects} and the tables: {@code MulticastTable}, {@code XrcDomainTable}, {@code GidTable},
 * {@code RxeLimits}.
 */
package org.softrdma.rxe.engine;
