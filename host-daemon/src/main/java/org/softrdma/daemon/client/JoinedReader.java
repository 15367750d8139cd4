// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeCompletion;
import org.softrdma.daemon.rings.RingView;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Reads completions in the ring. The slot of the current one is freed when the next is read, or reading ends. */
final class JoinedReader implements CompletionReader {
    private final JoinedCompletionQueue queue;
    /** Null while no completion is current. */
    private RingView ring;
    private int current;

    JoinedReader(JoinedCompletionQueue queue) {
        this.queue = queue;
    }

    @Override
    public boolean startPoll() {
        RingView found = queue.beginReading();
        if (found == null) {
            return false;
        }
        ring = found;
        current = found.consumer();
        return true;
    }

    @Override
    public boolean nextPoll() {
        require("next_poll");
        if (ring.count(ring.producer(), ring.consumer()) <= 1) {
            return false;
        }
        current++;
        ring.consumer(current);
        return true;
    }

    @Override
    public void endPoll() {
        require("end_poll");
        ring.consumer(current + 1);
        ring = null;
        queue.endReading();
    }

    private void require(String verb) {
        if (ring == null || !queue.isReading()) {
            throw new VerbsException(Errno.EINVAL, verb, "no completion is current; call start_poll first");
        }
    }

    private MemorySegment memory() {
        require("wc_read");
        return ring.memory();
    }

    private long at() {
        return ring.slot(current);
    }

    @Override
    public long wrId() {
        return RxeCompletion.wrId(memory(), at());
    }

    @Override
    public WcStatus status() {
        return JoinedCompletionQueue.status(memory(), at());
    }

    @Override
    public WcOpcode opcode() {
        return JoinedCompletionQueue.opcode(memory(), at());
    }

    @Override
    public int vendorError() {
        return RxeCompletion.vendorErr(memory(), at());
    }

    @Override
    public int byteLength() {
        return RxeCompletion.byteLen(memory(), at());
    }

    @Override
    public int immediate() {
        return RxeCompletion.immData(memory(), at());
    }

    @Override
    public int invalidatedRkey() {
        return RxeCompletion.invalidateRkey(memory(), at());
    }

    @Override
    public int qpNum() {
        return RxeCompletion.qpNum(memory(), at());
    }

    @Override
    public int sourceQp() {
        return RxeCompletion.srcQp(memory(), at());
    }

    @Override
    public int flags() {
        return RxeCompletion.wcFlags(memory(), at());
    }

    /** librxe's records have no time. */
    @Override
    public long timestampNs() {
        require("wc_read_completion_ts");
        throw new VerbsException(Errno.EOPNOTSUPP, "wc_read_completion_ts", "the daemon's completions have no timestamps");
    }
}
