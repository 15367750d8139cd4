// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** What one end of an RDMA test does, once. Nothing is allocated while it is measured. */
interface Traffic {
    /** Send work requests it has under way. */
    int sendDepth();

    /** Receives it has posted. */
    int receiveDepth();

    /** Its buffer's size; 0: that of a message. */
    default int bufferBytes() {
        return 0;
    }

    /** What must be done before the peer begins. @throws QPerfFailure the parameters do not fit */
    default void prepare(RdmaEnd end) {
    }

    /** Until the time is over. */
    void run(RdmaEnd end);
}
