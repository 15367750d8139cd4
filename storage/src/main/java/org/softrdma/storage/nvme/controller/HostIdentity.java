// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.util.UUID;

/**
 * A host, as it names itself in all its Connects.
 *
 * @param name NQN
 */
record HostIdentity(UUID id, String name) {
}
