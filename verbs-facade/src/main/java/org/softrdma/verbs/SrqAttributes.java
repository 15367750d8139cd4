// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A shared receive queue as it is now ({@code struct ibv_srq_attr}).
 *
 * @param maxWr  receives it holds; at least what was asked
 * @param maxSge scatter elements of one receive
 * @param limit  what SRQ_LIMIT_REACHED is armed for; 0 when disarmed, also by the event itself
 */
public record SrqAttributes(int maxWr, int maxSge, int limit) {
}
