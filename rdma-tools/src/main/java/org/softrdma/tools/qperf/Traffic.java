// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** Traffic of one end of an RDMA test, used once. Allocates nothing while it is measured. */
interface Traffic {
    /** Send work requests it has under way. */
    int sendDepth();

    /** Receives it has posted. */
    int receiveDepth();

    /** Its buffer's size; 0: that of a message. */
    default int bufferBytes() {
        return 0;
    }

    /**
     * Prepares for the peer's first message.
     *
     * @throws QPerfFailure the parameters do not fit
     */
    default void prepare(RdmaEnd end) {
    }

    /** Runs until the time is over. */
    void run(RdmaEnd end);
}
