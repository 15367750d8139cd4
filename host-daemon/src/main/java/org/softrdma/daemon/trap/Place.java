// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

/**
 * Meaning of a path of ours.
 *
 * @param node the device, or null
 * @param file path of the file or directory in the private tree, which need not exist; for a device the file that stands for it there
 */
record Place(DeviceNode node, String file) {
}
