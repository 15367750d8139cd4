// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

/**
 * A completion that an end has polled.
 *
 * @param wrId   of its work request
 * @param status name in the API, as in {@code SUCCESS}
 * @param opcode name in the API; of a failure not meaningful
 */
public record Completion(long timeNs, int end, long wrId, String status, String opcode, int bytes) {
}
