// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.softrdma.storage.nvme.wire.QueueRequest;

/** A queue whose host is a test: the host's memory is an array whose indices are the addresses. */
final class ScriptedQueue implements QueuePort {
    static final int MEMORY = 1 << 20;

    /**
     * A response capsule.
     *
     * @param key that it invalidates, or 0
     */
    record Answer(long result, int head, int id, int status, int key) {
    }

    private record Read(int slot, int buffer, int length, long address) {
    }

    final byte[] memory = new byte[MEMORY];
    final QueueMachine machine;
    final ArrayDeque<Answer> answers = new ArrayDeque<>();
    /** Memory accesses and responses, in order. */
    final List<String> log = new ArrayList<>();
    /** Whether SENDs complete at once. */
    boolean sendsComplete = true;
    /** Whether READs complete at once. */
    boolean readsComplete = true;
    boolean ended;
    long nowNs;
    private final ByteBuffer[] capsules;
    private final ByteBuffer[] responses;
    private final ByteBuffer[] buffers;
    private final ArrayDeque<Integer> posted = new ArrayDeque<>();
    private final ArrayDeque<Read> reads = new ArrayDeque<>();
    private final ArrayDeque<Integer> sends = new ArrayDeque<>();

    ScriptedQueue(Subsystem subsystem, int queue, int entries) {
        QueueRequest request = new QueueRequest(queue, entries, entries, 0);
        capsules = buffers(entries, subsystem.settings().capsuleBytes(queue));
        responses = buffers(QueueMachine.responses(request), 16);
        buffers = buffers(QueueMachine.buffers(subsystem.settings(), request), subsystem.settings().largestTransfer());
        machine = new QueueMachine(subsystem, request, this);
        machine.begin();
    }

    private static ByteBuffer[] buffers(int count, int bytes) {
        ByteBuffer[] all = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            all[i] = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
            Arrays.fill(all[i].array(), (byte) 0xa5);
        }
        return all;
    }

    /** Receives that are posted. */
    int receives() {
        return posted.size();
    }

    /** Delivers a capsule. One that is longer than its receive ends the connection with a local length error, as a device would. */
    void deliver(byte[] bytes) {
        int slot = posted.remove();
        if (bytes.length > capsules[slot].capacity()) {
            ended = true;
            return;
        }
        capsules[slot].put(0, bytes);
        machine.onCapsule(slot, bytes.length, nowNs);
        settle();
    }

    /** Delivers a capsule and takes its answer. */
    Answer call(Capsule capsule) {
        deliver(capsule.toBytes());
        return answers.remove();
    }

    /** Completes the oldest READ. */
    void completeRead() {
        Read read = reads.remove();
        if (isMemory(read.address, read.length)) {
            buffers[read.buffer].put(0, memory, (int) read.address, read.length);
            machine.onRead(read.slot);
        }
    }

    /** Whether a range is memory of the host. An access to another ends the connection, as the host's device would. */
    private boolean isMemory(long address, int length) {
        boolean valid = address >= 0 && address <= MEMORY - length;
        ended |= !valid;
        return valid;
    }

    /**
     * Completes the oldest READ or SEND.
     *
     * @return whether there was one
     */
    boolean completeOne(boolean read) {
        if (read && !reads.isEmpty()) {
            completeRead();
            return true;
        }
        if (!read && !sends.isEmpty()) {
            completeSend();
            return true;
        }
        return false;
    }

    /** Completes the oldest SEND. */
    void completeSend() {
        machine.onSent(sends.remove());
    }

    private void settle() {
        boolean more = true;
        while (more) {
            more = false;
            if (readsComplete && !reads.isEmpty()) {
                completeRead();
                more = true;
            }
            if (sendsComplete && !sends.isEmpty()) {
                completeSend();
                more = true;
            }
        }
    }

    // ---- port ----

    @Override
    public void postReceive(int slot) {
        posted.add(slot);
    }

    @Override
    public void postRead(int slot, int buffer, int length, long address, int key) {
        log.add("read " + length + " at " + address + " key " + Integer.toHexString(key));
        reads.add(new Read(slot, buffer, length, address));
    }

    @Override
    public void postWrite(int buffer, int length, long address, int key) {
        log.add("write " + length + " at " + address + " key " + Integer.toHexString(key));
        if (isMemory(address, length)) {
            buffers[buffer].get(0, memory, (int) address, length);
        }
    }

    @Override
    public void postResponse(int response, boolean invalidate, int key) {
        ByteBuffer b = responses[response];
        Answer answer = new Answer(b.getLong(0), b.getShort(8) & 0xffff, b.getShort(12) & 0xffff, b.getShort(14) & 0xffff,
            invalidate ? key : 0);
        log.add("send " + answer.id);
        answers.add(answer);
        sends.add(response);
    }

    @Override
    public ByteBuffer capsule(int slot) {
        return capsules[slot];
    }

    @Override
    public ByteBuffer response(int index) {
        return responses[index];
    }

    @Override
    public List<Portal> portals() {
        return List.of(new Portal(1, false, "192.0.2.1", 4420), new Portal(2, true, "2001:db8::1", 4421));
    }

    @Override
    public ByteBuffer data(int buffer) {
        return buffers[buffer];
    }

    @Override
    public void end() {
        ended = true;
    }
}
