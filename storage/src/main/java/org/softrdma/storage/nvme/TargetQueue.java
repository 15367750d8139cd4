// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.rpcrdma.connection.CompletionThread;
import org.softrdma.rpcrdma.connection.ConnectionListener;
import org.softrdma.rpcrdma.connection.MessageQueuePair;
import org.softrdma.storage.nvme.controller.Portal;
import org.softrdma.storage.nvme.controller.QueueMachine;
import org.softrdma.storage.nvme.controller.QueuePort;
import org.softrdma.storage.nvme.controller.Subsystem;
import org.softrdma.storage.nvme.controller.SubsystemSettings;
import org.softrdma.storage.nvme.wire.QueueRequest;
import org.softrdma.storage.nvme.wire.Response;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;

/** A {@link QueueMachine} on a connection: posts its work requests and reports completions to it. */
final class TargetQueue implements QueuePort, ConnectionListener.Connection, CompletionThread.Owner {
    private static final System.Logger LOG = System.getLogger(TargetQueue.class.getName());
    private static final int KIND_SHIFT = 32;
    private static final int RECEIVE = 0;
    private static final int READ = 1;
    private static final int SEND = 2;
    private static final int WRITE = 3;

    private final NvmeTarget target;
    private final CmId id;
    /** Guards the queue pair and the machine. */
    private final ReentrantLock lock = new ReentrantLock();
    private final MessageQueuePair queuePair;
    private final QueueMachine machine;
    private final CompletionThread thread;
    private final int dataBytes;
    private final ByteBuffer[] capsules;
    private final ByteBuffer[] responses;
    private final MemoryRegion[] data;
    private final ByteBuffer[] dataBuffers;
    private boolean started;

    /**
     * Makes the resources for a request and posts the receives.
     *
     * @throws VerbsException the device is exhausted
     */
    TargetQueue(NvmeTarget target, Subsystem subsystem, CmId id, QueueRequest request) {
        this.target = target;
        this.id = id;
        SubsystemSettings settings = subsystem.settings();
        dataBytes = settings.largestTransfer();
        int responseCount = QueueMachine.responses(request);
        queuePair = new MessageQueuePair(id, new MessageQueuePair.Plan(QueueMachine.sendRequests(request), request.entries(),
            settings.capsuleBytes(request.queue())), responseCount, Response.LENGTH);
        capsules = new ByteBuffer[request.entries()];
        for (int i = 0; i < capsules.length; i++) {
            capsules[i] = queuePair.received(i).duplicate().order(ByteOrder.LITTLE_ENDIAN);
        }
        responses = new ByteBuffer[responseCount];
        for (int i = 0; i < responses.length; i++) {
            responses[i] = queuePair.outgoing(i).duplicate().order(ByteOrder.LITTLE_ENDIAN);
        }
        data = new MemoryRegion[QueueMachine.buffers(settings, request)];
        dataBuffers = new ByteBuffer[data.length];
        machine = new QueueMachine(subsystem, request, this);
        thread = new CompletionThread("nvme-" + id.peerAddress() + "-" + request.queue(), queuePair, lock, this);
        try {
            machine.begin();
        } catch (VerbsException refused) {
            queuePair.close();
            throw refused;
        }
    }

    @Override
    public synchronized void start() {
        if (!started) {
            started = true;
            thread.start();
        }
    }

    // ---- completions ----

    @Override
    public void onCompletion(WorkCompletion completion) {
        int index = (int) completion.wrId();
        switch ((int) (completion.wrId() >> KIND_SHIFT)) {
            case RECEIVE -> machine.onCapsule(index, completion.byteLength(), System.nanoTime());
            case READ -> machine.onRead(index);
            default -> machine.onSent(index);
        }
        queuePair.submit();
    }

    @Override
    public void transmit() {
        // Posted with each completion: the answer to a command does not wait for the next commands.
    }

    @Override
    public boolean serveNext() {
        // Commands are executed by the machine.
        return false;
    }

    @Override
    public void onEnd(String cause) {
        LOG.log(System.Logger.Level.DEBUG, () -> "queue of " + id.peerAddress() + " ended: " + cause);
        machine.onEnd();
        disconnect();
        target.later(() -> {
            queuePair.close();
            id.close();
            target.onFreed(this);
        });
    }

    @Override
    public void end() {
        boolean neverStarted;
        synchronized (this) {
            neverStarted = !started;
            started = true;
        }
        if (neverStarted) {
            onEnd("not established");
        } else {
            // The receives that the queue pair flushes end the thread.
            disconnect();
        }
    }

    private void disconnect() {
        try {
            id.disconnect();
        } catch (VerbsException alreadyDisconnected) {
            // The peer, or the connection manager, was faster.
        }
    }

    // ---- the machine's work requests ----

    private static long workId(int kind, int index) {
        return (long) kind << KIND_SHIFT | index;
    }

    @Override
    public void postReceive(int slot) {
        queuePair.postReceive(workId(RECEIVE, slot), slot);
    }

    @Override
    public void postRead(int slot, int buffer, int length, long address, int key) {
        queuePair.prepareRead(workId(READ, slot), data[buffer], 0, length, address, key);
    }

    @Override
    public void postWrite(int buffer, int length, long address, int key) {
        queuePair.prepareWrite(workId(WRITE, buffer), false, data[buffer], 0, length, address, key);
    }

    @Override
    public void postResponse(int response, boolean invalidate, int key) {
        queuePair.prepareSend(workId(SEND, response), response, Response.LENGTH, invalidate ? key : 0);
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
        return target.portals(id.localAddress().getAddress());
    }

    @Override
    public ByteBuffer data(int buffer) {
        if (data[buffer] == null) {
            data[buffer] = queuePair.allocate(dataBytes);
            dataBuffers[buffer] = data[buffer].memory().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        }
        return dataBuffers[buffer];
    }
}
