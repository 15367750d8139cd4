// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

/**
 * What a {@link StreamMachine} may count on.
 *
 * @param transferRequests work requests for transfers at once
 * @param controlRequests  work requests for grants, credits and control messages at once
 * @param receives         posted at any time
 * @param keepAliveNs      between two keep-alives; 0 for none
 */
public record StreamSettings(Signalling signalling, int transferRequests, int controlRequests, int receives, long keepAliveNs) {
}
