// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Function;
import org.softrdma.rsocket.stream.ConnectionData;
import org.softrdma.rsocket.stream.Message;
import org.softrdma.rsocket.stream.RemoteBuffer;
import org.softrdma.rsocket.stream.Signalling;
import org.softrdma.rsocket.stream.StreamMachine;
import org.softrdma.rsocket.stream.StreamPort;
import org.softrdma.rsocket.stream.StreamSettings;
import org.softrdma.rsocket.stream.TargetList;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * A {@link StreamMachine} on a queue pair: posts its work requests and reports completions to it. The work request ID of a send is the
 * message it carries; that of a receive has the top bit set and gives the slot of its message. One caller at a time.
 */
final class StreamEndpoint implements StreamPort, AutoCloseable {
    /** Work requests kept back for grants, credits and control messages. Source: librdmacm */
    private static final int CONTROLS = 4;
    private static final int MIN_INLINE = RemoteBuffer.BYTES;
    private static final long RECEIVE = Long.MIN_VALUE;
    private static final int BATCH = 16;

    private final Signalling signalling;
    private final int receives;
    private final int inlineBytes;
    private final StreamMemory memory;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final StreamMachine machine;
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion[] completions = WorkCompletion.array(BATCH);
    /** Staging buffer for inline data, in the peer's byte order: a grant, or a message in a SEND. */
    private final MemorySegment small = MemorySegment.ofArray(new byte[RemoteBuffer.BYTES]);
    private final ByteBuffer smallBytes = small.asByteBuffer();
    private final MemorySegment smallMessage = small.asSlice(0, Message.BYTES);
    private final ByteBuffer incoming;

    /** Resources to request from a device. */
    record Plan(RSocketOptions options, Signalling signalling, int sends, int receives, int inlineBytes) {
        static Plan of(RSocketOptions options, Signalling signalling, DeviceAttributes device) {
            return new Plan(options, signalling, Math.min(options.sends(), device.maxQpWr()),
                Math.min(options.receives(), device.maxQpWr()), Math.min(options.inlineBytes(), device.maxInlineData()));
        }

        /** @return maximum number of completions in the completion queue */
        int completions() {
            return sends + receives;
        }

        private QpCapabilities capabilities() {
            return new QpCapabilities(sends, receives, 2, 1, Math.max(inlineBytes, MIN_INLINE));
        }
    }

    /**
     * Makes the memory and the queue pair, and posts the receives.
     *
     * @param cq     for both directions, with room for {@link Plan#completions}
     * @param makeQp makes the queue pair in a state that permits posting receives; it must be closed before this endpoint
     */
    StreamEndpoint(Plan plan, ProtectionDomain pd, CompletionQueue cq, Function<QpInitAttributes, QueuePair> makeQp) {
        this.cq = cq;
        signalling = plan.signalling;
        receives = plan.receives;
        // An even number of bytes: both halves of the ring have the same size.
        memory = new StreamMemory(pd, plan.options.sendBuffer(), plan.options.receiveBuffer() & ~1,
            signalling == Signalling.SEND ? receives * Message.BYTES : 0);
        try {
            qp = makeQp.apply(QpInitAttributes.rc(cq, plan.capabilities()).withSignalAll(true));
        } catch (RuntimeException refused) {
            memory.close();
            throw refused;
        }
        inlineBytes = plan.inlineBytes;
        incoming = signalling == Signalling.SEND ? bytes(memory.messages.memory()) : null;
        long keepAliveNs = plan.options.keepAliveSeconds() * 1_000_000_000L;
        machine = new StreamMachine(this, new StreamSettings(signalling, plan.sends - CONTROLS, CONTROLS, receives, keepAliveNs),
            memory.sendRing.memory().asByteBuffer(), memory.receiveRing.memory().asByteBuffer(), bytes(memory.targetList.memory()));
        for (int slot = 0; slot < receives; slot++) {
            postReceive(slot);
        }
    }

    /** Memory that the peer writes: this end announces little-endian on any host. */
    private static ByteBuffer bytes(MemorySegment memory) {
        return memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** @return the data that the peer needs to connect */
    ConnectionData describe() {
        int half = (int) memory.receiveRing.length() / 2;
        return new ConnectionData(ByteOrder.LITTLE_ENDIAN, receives,
            new RemoteBuffer(memory.targetList.address(), memory.targetList.rkey(), TargetList.ENTRIES),
            new RemoteBuffer(memory.receiveRing.address(), memory.receiveRing.rkey(), half));
    }

    /** Starts the stream with the peer's connection data. */
    void begin(ConnectionData peer, long nowNs) {
        smallBytes.order(peer.order());
        if (incoming != null) {
            incoming.order(peer.order());
        }
        machine.begin(peer, nowNs);
    }

    StreamMachine machine() {
        return machine;
    }

    CompletionQueue cq() {
        return cq;
    }

    // ---- completions ----

    /** Processes all completions, and sends the messages that follow from them. */
    void poll() {
        int count = cq.poll(completions);
        while (count > 0) {
            for (int i = 0; i < count; i++) {
                onCompletion(completions[i]);
            }
            machine.transmit();
            count = count < BATCH ? 0 : cq.poll(completions);
        }
        machine.transmit();
    }

    private void onCompletion(WorkCompletion completion) {
        if (completion.wrId() >= 0) {
            machine.onSent((int) completion.wrId());
        } else if (completion.isSuccess()) {
            onReceive(completion);
        }
        if (completion.status() == WcStatus.WR_FLUSH_ERR) {
            // The first failed work request has another status. Without one, the connection manager has moved the queue pair to ERR.
            machine.onReset();
        } else if (!completion.isSuccess()) {
            machine.onFailure(completion.toString());
        }
    }

    private void onReceive(WorkCompletion completion) {
        int slot = (int) completion.wrId();
        boolean immediate = (completion.flags() & WcFlags.WITH_IMM) != 0;
        if (!immediate && (incoming == null || completion.byteLength() != Message.BYTES)) {
            machine.onMalformed(completion.byteLength());
            return;
        }
        int message = immediate ? completion.immediate() : incoming.getInt(slot * Message.BYTES);
        if (machine.isConnected()) {
            postReceive(slot);
        }
        machine.onMessage(message);
    }

    private void postReceive(int slot) {
        receive.begin(RECEIVE | slot);
        if (incoming != null) {
            receive.element(memory.messages, (long) slot * Message.BYTES, Message.BYTES);
        }
        qp.postReceive(receive);
    }

    // ---- work requests of the machine ----

    @Override
    public void write(int offset, int length, long address, int key, int message) {
        begin(address, key, message);
        int untilEnd = Math.min(length, (int) memory.sendRing.length() - offset);
        send.element(memory.sendRing, offset, untilEnd);
        if (untilEnd < length) {
            send.element(memory.sendRing, 0, length - untilEnd);
        }
        if (length <= inlineBytes) {
            send.inline();
        }
        postWithMessage(message);
    }

    @Override
    public void grant(int offset, int length, long address, int key, int message) {
        begin(address, key, message);
        RemoteBuffer.put(smallBytes, 0, memory.receiveRing.address() + offset, memory.receiveRing.rkey(), length);
        send.inlineData(small);
        postWithMessage(message);
    }

    @Override
    public void send(int message) {
        if (signalling == Signalling.IMMEDIATE) {
            begin(0, 0, message);
            qp.postSend(send);
        } else {
            postMessage(message, message);
        }
    }

    @Override
    public void keepAlive() {
        qp.postSend(send.write(0, 0).wrId(wrId(Message.of(Message.CONTROL, Message.KEEP_ALIVE))));
    }

    private void begin(long address, int key, int message) {
        if (signalling == Signalling.IMMEDIATE) {
            send.writeWithImmediate(address, key, message);
        } else {
            send.write(address, key);
        }
        send.wrId(wrId(message));
    }

    private void postWithMessage(int message) {
        qp.postSend(send);
        if (signalling == Signalling.SEND) {
            postMessage(message, Message.of(Message.kind(message), 0));
        }
    }

    /** @param id message that the completion reports */
    private void postMessage(int message, int id) {
        smallBytes.putInt(0, message);
        qp.postSend(send.send().wrId(wrId(id)).inlineData(smallMessage));
    }

    private static long wrId(int message) {
        return Integer.toUnsignedLong(message);
    }

    /** Frees the memory; the queue pair must be closed before. */
    @Override
    public void close() {
        memory.close();
    }
}
