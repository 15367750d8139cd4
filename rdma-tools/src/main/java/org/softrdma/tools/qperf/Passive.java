// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** The device responds; this end only waits until the time is over. */
final class Passive implements Traffic {
    private final int bytes;

    /** @param bytes of its buffer; 0: that of a message */
    Passive(int bytes) {
        this.bytes = bytes;
    }

    @Override
    public int sendDepth() {
        return 0;
    }

    /** Never posted; some devices want one. */
    @Override
    public int receiveDepth() {
        return 1;
    }

    @Override
    public int bufferBytes() {
        return bytes;
    }

    @Override
    public void run(RdmaEnd end) {
        end.session().timer().awaitFinish();
    }
}
