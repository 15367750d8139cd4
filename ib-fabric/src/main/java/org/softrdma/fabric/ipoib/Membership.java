// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import org.softrdma.verbs.Gid;

/**
 * A group that the queue pair of the interface has to be attached to, or detached from.
 *
 * @param group  MGID
 * @param lid    multicast LID, u16
 * @param member whether to attach
 */
public record Membership(Gid group, int lid, boolean member) {
}
