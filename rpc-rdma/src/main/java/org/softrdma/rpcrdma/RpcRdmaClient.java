// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.rpcrdma.connection.CompletionThread;
import org.softrdma.rpcrdma.connection.MessageBuffers;
import org.softrdma.rpcrdma.connection.MessageQueuePair;
import org.softrdma.rpcrdma.machine.ClientCall;
import org.softrdma.rpcrdma.machine.Exposure;
import org.softrdma.rpcrdma.machine.RequesterMachine;
import org.softrdma.rpcrdma.machine.RequesterPort;
import org.softrdma.rpcrdma.machine.RequesterSettings;
import org.softrdma.rpcrdma.machine.TransportCounters;
import org.softrdma.rpcrdma.machine.WorkId;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.rpcrdma.wire.PrivateData;
import org.softrdma.rpcrdma.wire.TransportHeader;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * Client of RPC-over-RDMA version 1. The server may be Linux's nfsd, an {@link RpcRdmaServer}, or any other program of the protocol. When
 * a connection ends, another one is made, and the calls that were not answered are sent again with the same XIDs. Any thread.
 */
public final class RpcRdmaClient implements AutoCloseable {
    /** Place of MEM_WINDOW_TYPE_2B among the flags of a device's capabilities. */
    private static final int WINDOWS_2B = 1 << 24;
    private static final int SEND_REQUESTS = 1024;
    private static final int READS = 16;
    /** Parts of a SEND with memory of the caller. */
    private static final int GATHERED_ELEMENTS = 3;

    private final InetSocketAddress server;
    private final ClientOptions options;
    private final ReverseService reverseService;
    private final TransportCounters counters = new TransportCounters();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freeCall = lock.newCondition();
    private final ClientConnector connector;
    private RequesterMachine machine;
    private ClientConnection connection;
    /** Null while there is no connection. */
    private volatile CompletionThread completions;
    private ProtectionDomain pd;
    /** Messages of calls, which may be sent again on the next connection. */
    private MessageBuffers sends;
    private boolean windows;
    private boolean gathers;
    private final List<CompletableFuture<RpcReply>> futures = new ArrayList<>();
    private final List<RpcRequest> requests = new ArrayList<>();
    /** Outcomes to be reported once the lock is released. */
    private final List<Runnable> outcomes = new ArrayList<>();
    /** Reason for which calls are refused: closed, or not connected again in time. */
    private RpcRdmaException failure;

    private RpcRdmaClient(InetSocketAddress server, ClientOptions options, ReverseService reverseService) {
        this.server = server;
        this.options = options;
        this.reverseService = reverseService;
        connector = new ClientConnector(this, server, options.connectTimeout());
    }

    /**
     * Connects to a server.
     *
     * @param server  its address
     * @param options of the client
     * @return the client, connected
     * @throws RpcRdmaException ECONNREFUSED, ETIMEDOUT, ENODEV and others of the connection manager
     */
    public static RpcRdmaClient connect(InetSocketAddress server, ClientOptions options) throws RpcRdmaException {
        return connect(server, options, (call, reply) -> false);
    }

    /**
     * Connects to a server that may call this client.
     *
     * @param server         its address
     * @param options        of the client
     * @param reverseService executes the server's calls
     * @return the client, connected
     * @throws RpcRdmaException ECONNREFUSED, ETIMEDOUT, ENODEV and others of the connection manager
     */
    public static RpcRdmaClient connect(InetSocketAddress server, ClientOptions options, ReverseService reverseService)
            throws RpcRdmaException {
        RpcRdmaClient client = new RpcRdmaClient(server, options, reverseService);
        client.connector.start();
        return client;
    }

    /** {@return the server's address} */
    public InetSocketAddress server() {
        return server;
    }

    /** {@return counters that are not 0, by name} */
    public Map<String, Long> counters() {
        return counters.snapshot();
    }

    /** {@return whether memory is exposed by windows} */
    public boolean usesWindows() {
        return windows;
    }

    // ---- calls ----

    /**
     * Allocates memory for requests.
     *
     * @param bytes length, from 1
     * @return memory, to be closed
     */
    public RpcMemory allocate(long bytes) {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(bytes, 4096);
        int access = windows ? AccessFlags.MW_BIND : AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE;
        return new RpcMemory(arena, pd.register(memory, AccessFlags.LOCAL_WRITE | access));
    }

    /**
     * Sends a call. Waits while {@link ClientOptions#calls} are under way.
     *
     * @param request the call, and the memory that it exposes
     * @return the reply. It fails with an {@link RpcRdmaException}: EPROTO if the server refused the header, or its reply is malformed;
     *     ENOTCONN if the client was closed, or not connected again in time. There is no time limit otherwise, as the server may be slow
     * @throws RpcRdmaException       EINVAL: the message does not fit inline; ENOTCONN
     * @throws InterruptedIOException the thread was interrupted while it waited
     */
    public CompletableFuture<RpcReply> call(RpcRequest request) throws RpcRdmaException, InterruptedIOException {
        lock.lock();
        try {
            while (failure == null && !machine.canTake()) {
                freeCall.await();
            }
            if (failure != null) {
                throw failure;
            }
            ClientCall call = machine.call(request.xid(), request.message(), request.exposures());
            if (call == null) {
                throw new RpcRdmaException(Errno.EINVAL, "a message of " + request.message().remaining()
                    + " bytes does not fit inline behind its header; put it into memory: RpcRequest.ofLong");
            }
            CompletableFuture<RpcReply> reply = new CompletableFuture<>();
            futures.set(call.index(), reply);
            requests.set(call.index(), request);
            transmit();
            return reply;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for other calls");
        } catch (VerbsException refused) {
            throw new RpcRdmaException(refused);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the reply to a call. The caller's thread processes what arrives on the connection meanwhile, unless another one that waits
     * so does: that saves two changes of thread, and lets stages of other replies ({@link CompletableFuture#thenAccept}) run on it.
     *
     * @param reply of {@link #call}
     * @return the reply
     * @throws RpcRdmaException       as {@link #call} describes for the reply
     * @throws InterruptedIOException the thread was interrupted
     */
    public RpcReply await(CompletableFuture<RpcReply> reply) throws RpcRdmaException, InterruptedIOException {
        CompletionThread current = completions;
        while (!reply.isDone() && current != null && !current.await(reply) && !Thread.currentThread().isInterrupted()
            && current != completions) {
            current = completions;
        }
        try {
            return reply.get();
        } catch (ExecutionException failed) {
            throw (RpcRdmaException) failed.getCause();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a reply");
        }
    }

    /** With the lock. */
    private void transmit() {
        machine.transmit();
        if (connection != null) {
            connection.queuePair.submit();
        }
    }

    // ---- for the connector ----

    /**
     * Makes the resources of a connection whose device is known.
     *
     * @return parameters of the request
     */
    ConnectionParameters prepare(CmId id) {
        lock.lock();
        try {
            DeviceAttributes device = id.verbs().queryDevice();
            if (pd == null) {
                firstDevice(id, device);
            }
            int sendRequests = sendRequests(device);
            connection = new ClientConnection(new MessageQueuePair(id, pd, sends,
                new MessageQueuePair.Plan(sendRequests, options.calls() + options.reverseCalls(), options.inlineBytes(),
                    gathers ? GATHERED_ELEMENTS : 1)), options.calls());
            machine.begin();
            PrivateData own = new PrivateData(windows, gathers ? PrivateData.LONGEST : options.inlineBytes(), options.inlineBytes());
            return ConnectionParameters.DEFAULT.withPrivateData(own.toBytes())
                .withReads(Math.min(READS, device.maxQpRdAtom()), 0).withRetries(ConnectionParameters.MAX_RETRIES, 0);
        } finally {
            lock.unlock();
        }
    }

    private static int sendRequests(DeviceAttributes device) {
        return Math.min(SEND_REQUESTS, device.maxQpWr());
    }

    private void firstDevice(CmId id, DeviceAttributes device) {
        pd = id.verbs().allocatePd();
        sends = new MessageBuffers(pd, options.calls() + options.reverseCalls(), options.inlineBytes());
        windows = options.windows() && device.maxMw() > 0 && (device.deviceCapFlags() & WINDOWS_2B) != 0;
        gathers = device.maxSge() >= GATHERED_ELEMENTS;
        machine = new RequesterMachine(new RequesterSettings(options.calls(), options.calls() + options.reverseCalls(),
            options.reverseCalls(), windows, sendRequests(device)), new Port(), counters);
        for (int i = 0; i < options.calls(); i++) {
            futures.add(null);
            requests.add(null);
        }
    }

    /** Starts a connection. */
    void onConnected(ConnectionParameters accepted) {
        PrivateData peer = PrivateData.parse(accepted.privateData());
        lock.lock();
        try {
            completions = new CompletionThread("rpc-rdma-" + server, connection.queuePair, lock, new Completions());
            completions.start();
            machine.onConnected(Math.min(options.inlineBytes(), peer.receiveBytes()), gathers ? peer.receiveBytes() : 0);
            transmit();
        } finally {
            lock.unlock();
        }
    }

    /** Frees a connection that has ended, or was not made. Calls wait for the next one. */
    void onDisconnected() {
        if (completions != null) {
            completions.join();
            completions = null;
        }
        lock.lock();
        try {
            if (connection != null) {
                machine.onDisconnected();
                connection.close();
                connection = null;
            }
        } finally {
            lock.unlock();
        }
        reportOutcomes();
    }

    /** Fails all calls, now and later. */
    void onGivenUp(RpcRdmaException cause) {
        List<CompletableFuture<RpcReply>> lost = new ArrayList<>();
        lock.lock();
        try {
            failure = cause;
            for (CompletableFuture<RpcReply> each : futures) {
                if (each != null) {
                    lost.add(each);
                }
            }
            freeCall.signalAll();
        } finally {
            lock.unlock();
        }
        lost.forEach(each -> each.completeExceptionally(cause));
        if (pd != null) {
            closePd();
        }
    }

    private void closePd() {
        sends.close();
        try {
            pd.close();
        } catch (VerbsException inUse) {
            // Memory of the caller is still registered; the process's end frees the rest.
        }
    }

    private void reportOutcomes() {
        List<Runnable> now;
        lock.lock();
        try {
            if (outcomes.isEmpty()) {
                return;
            }
            now = new ArrayList<>(outcomes);
            outcomes.clear();
        } finally {
            lock.unlock();
        }
        now.forEach(Runnable::run);
    }

    /** Disconnects. Calls that were not answered fail. */
    @Override
    public void close() {
        connector.close();
    }

    // ---- completions ----

    private final class Completions implements CompletionThread.Owner {
        @Override
        public void onCompletion(WorkCompletion completion) {
            long id = completion.wrId();
            if (WorkId.kind(id) == WorkId.RECEIVE) {
                int invalidated = (completion.flags() & WcFlags.WITH_INV) != 0 ? completion.invalidatedRkey() : 0;
                machine.onMessage(WorkId.index(id), completion.byteLength(), invalidated);
            } else {
                machine.onCompletion(id);
            }
        }

        @Override
        public void transmit() {
            RpcRdmaClient.this.transmit();
            if (machine.canTake()) {
                freeCall.signalAll();
            }
        }

        @Override
        public boolean serveNext() {
            reportOutcomes();
            return false;
        }

        @Override
        public void onEnd(String cause) {
            connector.onBroken(cause);
        }
    }

    /** The machine's work requests; called with the lock. */
    private final class Port implements RequesterPort {
        @Override
        public void postReceive(int slot) {
            connection.queuePair.postReceive(WorkId.receive(slot), slot);
        }

        @Override
        public int postBind(long id, boolean reporting, int window, Exposure memory) {
            return connection.bind(id, reporting, window, memory);
        }

        @Override
        public void postInvalidate(long id, boolean reporting, int rkey) {
            connection.invalidate(id, reporting, rkey);
        }

        @Override
        public void postSend(long id, int buffer, int length) {
            connection.queuePair.prepareSend(id, buffer, length, 0);
        }

        @Override
        public void postGatheredSend(long id, int buffer, int start, int before, Exposure memory, int after) {
            connection.queuePair.prepareGatheredSend(id, buffer, start, before, memory.address(), memory.length(), memory.lkey(), after);
        }

        @Override
        public ByteBuffer received(int slot) {
            return connection.received(slot);
        }

        @Override
        public ByteBuffer outgoing(int buffer) {
            return sends.get(buffer);
        }

        @Override
        public void completed(ClientCall call, ByteBuffer b, int at) {
            CompletableFuture<RpcReply> future = futures.set(call.index(), null);
            RpcRequest request = requests.set(call.index(), null);
            int[] written = new int[request.exposures().size()];
            for (int i = 0; i < written.length; i++) {
                written[i] = call.written(i);
            }
            ByteBuffer message;
            if (call.isReplyInChunk()) {
                message = request.replyMemory().slice(0, call.replyBytes());
            } else {
                byte[] copy = new byte[call.replyBytes()];
                b.get(at, copy);
                message = ByteBuffer.wrap(copy);
            }
            outcomes.add(() -> future.complete(new RpcReply(message, written)));
        }

        @Override
        public void failed(ClientCall call, HeaderFault fault) {
            CompletableFuture<RpcReply> future = futures.set(call.index(), null);
            requests.set(call.index(), null);
            outcomes.add(() -> future.completeExceptionally(new RpcRdmaException(fault, "call to " + server)));
        }

        @Override
        public void reverseCall(int number, ByteBuffer message, int at, int length) {
            ByteBuffer buffer = machine.reverseReply(number);
            ByteBuffer reply = buffer.slice(TransportHeader.PLAIN_LENGTH, buffer.capacity() - TransportHeader.PLAIN_LENGTH);
            boolean answered = reverseService.serve(message.slice(at, length), reply);
            machine.replyToReverse(number, answered ? reply.position() : 0);
        }
    }
}
