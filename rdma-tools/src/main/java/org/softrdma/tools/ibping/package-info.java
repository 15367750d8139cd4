// SPDX-License-Identifier: Apache-2.0
/**
 * ibping: pings the management of another port with vendor datagrams, and answers such pings.
 *
 * <p>Reading order: {@link IbPing} (command line and server), {@link PingClient}, {@link PingMad} (the datagrams), {@link PingPath}.
 */
package org.softrdma.tools.ibping;
