// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

/**
 * Sizes of the client's end of a connection.
 *
 * @param calls        calls under way at most, whatever the server grants
 * @param receives     receives that are posted, at least {@code calls} and {@code reverseCalls} together
 * @param reverseCalls calls of the server in work
 * @param bind         whether memory is exposed by windows, which end with the call; else by its region's key, which stays valid
 * @param sendQueue    places of the send queue, more than {@link SendQueue#LONGEST_RUN}
 */
public record RequesterSettings(int calls, int receives, int reverseCalls, boolean bind, int sendQueue) {
    public RequesterSettings {
        if (calls < 1 || receives < calls + reverseCalls || sendQueue <= SendQueue.LONGEST_RUN) {
            throw new IllegalArgumentException(calls + " calls, " + receives + " receives, send queue " + sendQueue);
        }
    }
}
