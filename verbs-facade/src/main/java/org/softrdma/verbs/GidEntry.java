// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * One used entry of a port's GID table.
 *
 * @param gid     the entry
 * @param index   position in the table, as for the options {@code -g} and {@code -x} of the tools
 * @param port    port number, from 1
 * @param type    protocol of its packets
 * @param netdev  name of the network interface the address belongs to
 * @param ifIndex index of that interface
 */
public record GidEntry(Gid gid, int index, int port, GidType type, String netdev, int ifIndex) {
}
