// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.device.agent.Deadline;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;

/**
 * Sends packets in raw frames from addresses of an interface that other links may use at the same time, and delivers none: for the peers
 * of a process that has ended. For one thread.
 */
public final class RawSender implements AutoCloseable {
    private static final int FRAMES_AT_ONCE = 64;

    private final RawLink link;

    RawSender(RawLink link) {
        this.link = link;
    }

    /** Prepares a path, as {@link org.softrdma.link.Link#resolve}. */
    public Path resolve(PathRequest request) {
        return link.resolve(request);
    }

    /** Sends packets, as {@link org.softrdma.link.Link#send}. */
    public int send(TransmitBatch batch) {
        return link.send(batch);
    }

    /**
     * Waits until no packet waits for the MAC address of its neighbour.
     *
     * @param timeoutNs maximum time; packets that wait longer are lost
     */
    public void settle(long timeoutNs) {
        long untilNs = System.nanoTime() + timeoutNs;
        long nowNs = System.nanoTime();
        while (link.hasWaiting() && !Deadline.isDue(untilNs, nowNs)) {
            link.await(untilNs - nowNs);
            link.poll(frame -> { }, FRAMES_AT_ONCE);
            nowNs = System.nanoTime();
        }
    }

    @Override
    public void close() {
        link.close();
    }
}
