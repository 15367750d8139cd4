// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * State of a shared receive queue ({@code struct ibv_srq_attr}).
 *
 * @param maxWr  capacity in receives, at least as requested
 * @param maxSge scatter elements of one receive
 * @param limit  limit that SRQ_LIMIT_REACHED is armed for; 0 when disarmed, also by the event itself
 */
public record SrqAttributes(int maxWr, int maxSge, int limit) {
}
