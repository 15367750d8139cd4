// SPDX-License-Identifier: Apache-2.0
/**
 * The connection manager of soft devices: identifiers, ports, addresses and events, and below them
 * {@link org.softrdma.device.cm.CmTransport}, what a transport does for it (InfiniBand's CM messages, iWARP's MPA).
 *
 * <p>Who may hold what: an identifier's own monitor is held for a look at its state only, never during a call down to a transport. A
 * transport calls up with its device's lock held, and what it calls only takes monitors and puts events into queues. So the order is
 * always device lock before monitor.
 */
package org.softrdma.device.cm;
