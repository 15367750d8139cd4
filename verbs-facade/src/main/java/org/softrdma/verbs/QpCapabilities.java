// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Queue sizes of a queue pair ({@code struct ibv_qp_cap}). What was asked may be granted larger, never smaller.
 *
 * @param maxSendWr     work requests the send queue holds
 * @param maxRecvWr     work requests the receive queue holds; ignored with a shared receive queue
 * @param maxSendSge    scatter/gather elements of one send work request
 * @param maxRecvSge    scatter/gather elements of one receive work request
 * @param maxInlineData bytes of one inline work request
 */
public record QpCapabilities(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {
}
