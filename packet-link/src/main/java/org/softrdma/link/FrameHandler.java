// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

/** Takes the packets a link received. Must not throw: the bytes come from anybody. */
@FunctionalInterface
public interface FrameHandler {
    void onFrame(ReceivedFrame frame);

    /**
     * A packet of ours came back: the host it was for says that nobody is at the port of RoCE v2. Anybody can say so.
     *
     * @param packet its beginning, at least the BTH; {@link ReceivedFrame#local} sent it, and the remote address is whom it was for
     */
    default void onReturned(ReceivedFrame packet) {
    }
}
