// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import org.softrdma.device.agent.DeviceAgent;
import org.softrdma.device.queue.CompletionRing;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** A cursor on a completion ring that drives the device once if the ring is empty. */
final class SoftCompletionReader implements CompletionReader {
    private final SoftCompletionQueue queue;
    private final DeviceAgent agent;
    private final CompletionRing.Cursor cursor;

    SoftCompletionReader(SoftCompletionQueue queue, DeviceAgent agent, CompletionRing ring) {
        this.queue = queue;
        this.agent = agent;
        cursor = ring.new Cursor();
    }

    @Override
    public boolean startPoll() {
        if (cursor.begin()) {
            return true;
        }
        queue.requireOpen("start_poll");
        agent.tryDrive();
        return cursor.begin();
    }

    @Override
    public boolean nextPoll() {
        return cursor.next();
    }

    @Override
    public void endPoll() {
        cursor.end();
    }

    @Override
    public long wrId() {
        return cursor.wrId();
    }

    @Override
    public WcStatus status() {
        return cursor.status();
    }

    @Override
    public WcOpcode opcode() {
        return cursor.opcode();
    }

    @Override
    public int vendorError() {
        return cursor.vendorError();
    }

    @Override
    public int byteLength() {
        return cursor.byteLength();
    }

    @Override
    public int immediate() {
        return cursor.immediate();
    }

    @Override
    public int invalidatedRkey() {
        return cursor.immediate();
    }

    @Override
    public int qpNum() {
        return cursor.qpNum();
    }

    @Override
    public int sourceQp() {
        return cursor.sourceQp();
    }

    @Override
    public int flags() {
        return cursor.flags();
    }

    @Override
    public long timestampNs() {
        return cursor.timestampNs();
    }
}
