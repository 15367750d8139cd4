// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.link;

/** Takes the packets a link received. Must not throw: the bytes come from anybody. */
@FunctionalInterface
public interface FrameHandler {
    void onFrame(ReceivedFrame frame);
}
