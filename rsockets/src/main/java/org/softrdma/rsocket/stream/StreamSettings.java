// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

/**
 * Resources of a {@link StreamMachine}.
 *
 * @param signalling       how messages reach the peer
 * @param transferRequests maximum number of outstanding work requests of transfers
 * @param controlRequests  maximum number of outstanding work requests of grants, credits and control messages
 * @param receives         number of posted receives
 * @param keepAliveNs      interval of keep-alives; 0 for none
 */
public record StreamSettings(Signalling signalling, int transferRequests, int controlRequests, int receives, long keepAliveNs) {
}
