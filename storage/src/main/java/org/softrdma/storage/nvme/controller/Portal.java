// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

/**
 * An address at which hosts reach the subsystem.
 *
 * @param number  from 1, u16
 * @param ipv6    whether the address is one of IPv6
 * @param address in text
 * @param port    of the connection manager
 */
public record Portal(int number, boolean ipv6, String address, int port) {
}
