// SPDX-License-Identifier: Apache-2.0
/**
 * The connection manager of soft devices: identifiers, ports, addresses and events.
 *
 * <p>Reading order: {@link org.softrdma.cm.CmTransport} with {@link org.softrdma.cm.CmConnection},
 * {@link org.softrdma.cm.CmListener} and {@link org.softrdma.cm.CmHandler}, the interface to a transport (InfiniBand's CM
 * messages, iWARP's MPA); {@link org.softrdma.cm.SoftConnectionManager}, the open devices; {@link org.softrdma.cm.SoftCmId},
 * an identifier, with its parts CmAddressing, CmConnecting, CmRequests, CmIdQueuePair and CmEvents, which share CmIdPrivate; last the
 * tables of ports and of loopback listeners.
 *
 * <p>Lock order: an identifier's own monitor is held only while its state is accessed, never during a call to a transport. A transport
 * makes its callbacks with its device's lock held, and these only take monitors and put events into queues. Hence the order is always
 * device lock before monitor.
 */
package org.softrdma.cm;
