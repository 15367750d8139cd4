// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

/** Receives the packets of a link. Must not throw: the bytes are unauthenticated. */
@FunctionalInterface
public interface FrameHandler {
    void onFrame(ReceivedFrame frame);

    /**
     * Handles a packet of ours that was returned: its destination reports the RoCE v2 port as unreachable. Unauthenticated: any host can
     * forge this.
     *
     * @param packet its beginning, at least the BTH; {@link ReceivedFrame#local} sent it, and the remote address is its destination
     */
    default void onReturned(ReceivedFrame packet) {
    }
}
