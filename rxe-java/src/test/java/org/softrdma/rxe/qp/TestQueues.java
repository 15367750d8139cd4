// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.OwnReceives;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Work queues in memory, and the one region that their work requests use: all that a machine needs besides its peer. */
final class TestQueues implements WorkQueues {
    static final int PD = 5;
    private static final int BYTES = 4096;

    final MemoryTable table = new MemoryTable(new SplittableRandom(7), 1 << 10, 1 << 10);
    final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 8);
    final Region region = table.register(memory, memory.address(), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ, PD);
    /** Completions as text: wr_id, opcode, status and bytes. */
    final List<String> completions = new ArrayList<>();
    /** Service levels of the completions. */
    final List<Integer> serviceLevels = new ArrayList<>();
    final List<AsyncEventType> events = new ArrayList<>();
    /** Why work requests or the queue pair failed, in order. */
    final List<Failure> failures = new ArrayList<>();
    boolean sharesReceives;
    /** Completions that fit before the queue overruns. */
    int completionRoom = 100;

    private final SendRing sends = new SendRing(16, 1, 512);
    private final ReceiveRing receiveRing = new ReceiveRing(16, 1);
    private final ReceiveSource receives = new OwnReceives(receiveRing, new ScatterGather(table, PD, 0));
    private final CompletionSink sink = this::push;

    private boolean push(long wrId, WcStatus status, WcOpcode opcode, int byteLength, int immediate, int qpNum, int sourceQp, int flags,
                         boolean solicited) {
        if (completions.size() == completionRoom) {
            return false;
        }
        completions.add(wrId + " " + opcode + " " + status + " " + byteLength);
        serviceLevels.add(CompletionSink.serviceLevel(flags));
        return true;
    }

    /** Writes text to the region and posts a signaled SEND of it. */
    void postSend(long wrId, String text) {
        memory.setString(0, text);
        sends.write(new SendRequest().send().element(memory.address(), text.length(), region.key()).wrId(wrId).flags(SendFlags.SIGNALED));
        sends.publish();
    }

    /** Posts a signaled SEND of text that is in the work request. */
    void postInline(long wrId, String text) {
        MemorySegment bytes = MemorySegment.ofArray(text.getBytes(StandardCharsets.US_ASCII));
        sends.write(new SendRequest().send().inlineData(bytes).wrId(wrId).signaled());
        sends.memory().asSlice(sends.inlineOffset(sends.next()), bytes.byteSize()).copyFrom(bytes);
        sends.setInlineLength(text.length());
        sends.publish();
    }

    /** Posts a signaled READ of that many bytes from the beginning of the peer's region into ours. */
    void postRead(long wrId, TestQueues peer, int bytes) {
        sends.write(new SendRequest().read(peer.memory.address(), peer.region.key()).element(memory.address(), bytes, region.key())
            .wrId(wrId).flags(SendFlags.SIGNALED));
        sends.publish();
    }

    /** Posts a receive of that many bytes of the region, from its middle on. */
    void postReceive(long wrId, int bytes) {
        receiveRing.write(new ReceiveRequest().begin(wrId).element(memory.address() + BYTES / 2, bytes, region.key()));
        receiveRing.publish();
    }

    /** Text that was received. */
    String received(int bytes) {
        return new String(receivedBytes(bytes), StandardCharsets.US_ASCII);
    }

    byte[] receivedBytes(int bytes) {
        return memory.asSlice(BYTES / 2, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public SendRing sends() {
        return sends;
    }

    @Override
    public ReceiveSource receives() {
        return receives;
    }

    @Override
    public int pdNumber() {
        return PD;
    }

    @Override
    public boolean signalAll() {
        return false;
    }

    @Override
    public CompletionSink sendCq() {
        return sink;
    }

    @Override
    public CompletionSink recvCq() {
        return sink;
    }

    @Override
    public boolean sharesReceives() {
        return sharesReceives;
    }

    @Override
    public void onFailure(int qpn, Failure why) {
        failures.add(why);
    }

    @Override
    public void onError(Failure why) {
    }

    @Override
    public void raise(AsyncEventType type) {
        events.add(type);
    }
}
