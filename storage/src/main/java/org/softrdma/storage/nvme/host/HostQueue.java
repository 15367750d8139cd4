// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.host;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.softrdma.rpcrdma.connection.MessageQueuePair;
import org.softrdma.storage.nvme.wire.Command;
import org.softrdma.storage.nvme.wire.DataDescriptor;
import org.softrdma.storage.nvme.wire.QueueRequest;
import org.softrdma.storage.nvme.wire.Response;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** One queue of a target, with memory for the data of one command. One thread. */
final class HostQueue implements AutoCloseable {
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    private static final long COMMAND_SECONDS = 30;
    private static final int PAGE = 4096;
    private static final int READS = 16;
    private static final int RETRIES = 7;
    private static final int RECEIVE = 0;

    private final CmId id;
    private final Arena arena = Arena.ofShared();
    private MessageQueuePair queuePair;
    private MemoryRegion region;
    private final ByteBuffer command;
    private final ByteBuffer response;
    private final ByteBuffer data;
    private int commandId;
    /** Of the command: whether its SEND and the receive of its response have completed. */
    private boolean sent;
    private boolean received;
    private int receivedBytes;
    /** The first completion that failed; null while there is none. */
    private String failed;

    /**
     * Connects a queue.
     *
     * @param dataBytes of a command at most
     */
    HostQueue(InetSocketAddress target, QueueRequest request, int dataBytes) throws NvmeException {
        id = ConnectionManager.get().createId(null, null, PortSpace.TCP);
        try {
            id.resolveAddress(null, target, RESOLVE_TIMEOUT_MS);
            id.resolveRoute(RESOLVE_TIMEOUT_MS);
            queuePair = new MessageQueuePair(id, new MessageQueuePair.Plan(2, 1, Response.LENGTH), 1, Command.LENGTH);
            MemorySegment memory = arena.allocate(dataBytes, PAGE);
            region = queuePair.pd().register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
            data = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
            command = queuePair.outgoing(0).duplicate().order(ByteOrder.LITTLE_ENDIAN);
            response = queuePair.received(0).duplicate().order(ByteOrder.LITTLE_ENDIAN);
            int reads = Math.min(READS, id.verbs().queryDevice().maxQpRdAtom());
            id.connect(ConnectionParameters.DEFAULT.withPrivateData(request.toBytes()).withReads(reads, 0).withRetries(RETRIES, RETRIES));
        } catch (VerbsException refused) {
            close();
            throw new NvmeException("queue " + request.queue() + " of " + target + ": " + refused.getMessage(), refused);
        }
    }

    /** The data of the next command, or of the last one: little-endian. */
    ByteBuffer data() {
        return data;
    }

    /** Begins a command without data. */
    ByteBuffer begin(int opcode, int namespace) {
        for (int at = 0; at < Command.LENGTH; at += Long.BYTES) {
            command.putLong(at, 0);
        }
        commandId = commandId + 1 & 0xffff;
        Command.put(command, opcode, commandId, namespace);
        return command;
    }

    /** Begins a command whose data are the first bytes of {@link #data}. */
    ByteBuffer begin(int opcode, int namespace, int dataBytes) {
        begin(opcode, namespace);
        DataDescriptor.putKeyed(command, Command.DESCRIPTOR_OFFSET, region.address(), dataBytes, region.rkey());
        return command;
    }

    /**
     * Sends the command and waits for its response.
     *
     * @param name of the command, for a message
     * @return its result
     */
    long call(String name) throws NvmeException {
        sent = false;
        received = false;
        try {
            queuePair.postReceive(RECEIVE, 0);
            queuePair.prepareSend(RECEIVE + 1, 0, Command.LENGTH, 0);
            queuePair.submit();
            awaitResponse(name);
        } catch (VerbsException ended) {
            throw new NvmeException(name + ": " + ended.getMessage(), ended);
        }
        if (Response.id(response) != commandId) {
            throw new NvmeException(name + ": a response to command " + Response.id(response) + ", not " + commandId);
        }
        if (Response.status(response) != 0) {
            throw new NvmeException(name, Response.status(response));
        }
        return Response.result(response);
    }

    private void awaitResponse(String name) throws NvmeException {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(COMMAND_SECONDS);
        while (!sent || !received) {
            long leftNs = untilNs - System.nanoTime();
            if (leftNs < 0) {
                throw new NvmeException(name + ": no response within " + COMMAND_SECONDS + " s");
            }
            int count = queuePair.poll();
            for (int i = 0; i < count; i++) {
                onCompletion(queuePair.completion(i));
            }
            if (count == 0) {
                if (queuePair.isArmed()) {
                    queuePair.await(leftNs);
                } else {
                    queuePair.arm();
                }
            }
            if (failed != null) {
                throw new NvmeException(name + ": the connection ended: " + failed);
            }
        }
        if (receivedBytes != Response.LENGTH) {
            throw new NvmeException(name + ": a response of " + receivedBytes + " bytes");
        }
    }

    private void onCompletion(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            failed = failed == null ? completion.toString() : failed;
        } else if (completion.wrId() == RECEIVE) {
            received = true;
            receivedBytes = completion.byteLength();
        } else {
            sent = true;
        }
    }

    @Override
    public void close() {
        try {
            id.disconnect();
        } catch (VerbsException notConnected) {
            // The target was faster, or there was no connection.
        }
        if (region != null) {
            region.close();
        }
        if (queuePair != null) {
            queuePair.close();
        }
        id.close();
        arena.close();
    }
}
