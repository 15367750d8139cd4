// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * Keeps a stream of SENDs within the receives that are posted, as programs for iWARP must: a SEND without a receive ends the connection.
 * The receiver now and then WRITEs how many it has taken and posted again, into the last eight bytes of the sender's region.
 */
final class ReceiveCredits {
    /** Of a region's end, not to be used for anything else. */
    static final int BYTES = Long.BYTES;

    private final End end;
    private final QueuePair qp;
    private final int receives;
    private final MemorySegment taken;
    private final SendRequest tell;
    private final WorkCompletion[] told = WorkCompletion.array(1);
    private long count;

    /** @param receives posted by the receiver at any time */
    ReceiveCredits(End end, QueuePair qp, int receives) {
        this.end = end;
        this.qp = qp;
        this.receives = receives;
        long offset = end.memory.byteSize() - BYTES;
        taken = end.memory.asSlice(offset);
        taken.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 0);
        tell = new SendRequest().write(end.peerAddress + offset, end.peerRkey).element(end.region, offset, BYTES).signaled();
    }

    /** A SEND is about to be posted: waits until there is a receive for it. */
    void beforeSend() {
        while (count - taken.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) >= receives) {
            // Nothing comes of it but that the device runs.
            end.recvCq.poll(told);
        }
        count++;
    }

    /** A SEND was received, and its receive posted again. */
    void afterReceive() {
        if (++count % (receives / 4) == 0) {
            taken.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, count);
            qp.postSend(tell);
            end.await(end.sendCq, told);
        }
    }
}
