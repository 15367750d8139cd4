// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.rpcrdma.connection.CompletionThread;
import org.softrdma.rpcrdma.connection.ConnectionListener;
import org.softrdma.rpcrdma.connection.MessageQueuePair;
import org.softrdma.rpcrdma.machine.Exchange;
import org.softrdma.rpcrdma.machine.ResponderMachine;
import org.softrdma.rpcrdma.machine.ResponderPort;
import org.softrdma.rpcrdma.machine.ResponderSettings;
import org.softrdma.rpcrdma.machine.WorkId;
import org.softrdma.rpcrdma.wire.PrivateData;
import org.softrdma.rpcrdma.wire.TransportHeader;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/** A {@link ResponderMachine} on a connection: posts its work requests, reports completions to it, and passes calls to the service. */
final class ServerConnection implements RpcConnection, ConnectionListener.Connection, ResponderPort, CompletionThread.Owner {
    private static final System.Logger LOG = System.getLogger(ServerConnection.class.getName());
    /** RDMA READs under way at once, at most. */
    private static final int READS = 16;
    /** Places of the send queue, where the device has as many. */
    private static final int SEND_REQUESTS = 512;

    private final RpcRdmaServer server;
    private final CmId id;
    private final ServerOptions options;
    private final PrivateData peerData;
    private final InetSocketAddress local;
    private final InetSocketAddress peer;
    private final ReentrantLock lock = new ReentrantLock();
    private final MessageQueuePair queuePair;
    private final ResponderMachine machine;
    private final CompletionThread thread;
    private final MemoryRegion[] work;
    private final ByteBuffer[] workBuffers;
    /** Calls to be passed to the service once the lock is released. */
    private final ArrayDeque<RpcExchange> ready = new ArrayDeque<>();
    private final Map<Integer, CompletableFuture<ByteBuffer>> reverseCalls = new HashMap<>();
    /** Calls that the service has not completed. */
    private int inService;
    private boolean started;
    private boolean over;
    private boolean freed;

    /**
     * Makes the resources for a request and posts the receives.
     *
     * @throws VerbsException the device is exhausted
     */
    ServerConnection(RpcRdmaServer server, CmId id, ConnectionParameters request, ServerOptions options) {
        this.server = server;
        this.id = id;
        this.options = options;
        local = id.localAddress();
        peer = id.peerAddress();
        peerData = PrivateData.parse(request.privateData());
        DeviceAttributes device = id.verbs().queryDevice();
        int sendRequests = Math.min(SEND_REQUESTS, device.maxQpWr());
        int receives = Math.min(options.receives(), device.maxQpWr());
        queuePair = new MessageQueuePair(id, new MessageQueuePair.Plan(sendRequests, receives, options.receiveBytes()),
            receives + options.reverseCalls(), options.inlineBytes());
        work = new MemoryRegion[options.maxWorkBuffers()];
        workBuffers = new ByteBuffer[options.maxWorkBuffers()];
        int grant = Math.min(options.credits(), receives - options.reverseCalls() - 1);
        machine = new ResponderMachine(new ResponderSettings(grant, receives, Math.min(options.inlineBytes(), peerData.receiveBytes()),
            peerData.invalidation(), options.maxWorkBuffers(), options.workBytes(), options.maxCall(), options.reverseCalls(),
            sendRequests), this, server.transportCounters());
        thread = new CompletionThread("rpc-rdma-" + peer, queuePair, lock, this);
        machine.begin();
    }

    /** @return parameters to accept the request with */
    ConnectionParameters accepted(ConnectionParameters request) {
        byte[] privateData = new PrivateData(false, options.inlineBytes(), options.receiveBytes()).toBytes();
        int reads = Math.min(Math.min(request.initiatorDepth(), READS), id.verbs().queryDevice().maxQpInitRdAtom());
        return ConnectionParameters.DEFAULT.withPrivateData(privateData).withReads(0, reads).withRetries(request.retryCount(), 0);
    }

    @Override
    public void start() {
        lock.lock();
        try {
            if (!over && !started) {
                started = true;
                thread.start();
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- completions ----

    @Override
    public void onCompletion(WorkCompletion completion) {
        long id = completion.wrId();
        if (WorkId.kind(id) == WorkId.RECEIVE) {
            machine.onMessage(WorkId.index(id), completion.byteLength());
        } else {
            machine.onCompletion(id);
        }
    }

    @Override
    public void transmit() {
        machine.transmit();
        queuePair.submit();
    }

    @Override
    public boolean serveNext() {
        RpcExchange exchange;
        boolean more;
        lock.lock();
        try {
            exchange = ready.poll();
            more = !ready.isEmpty();
        } finally {
            lock.unlock();
        }
        if (exchange != null) {
            serve(exchange);
        }
        return more;
    }

    private void serve(RpcExchange exchange) {
        try {
            server.service().serve(exchange);
        } catch (BufferOverflowException replyTooLong) {
            if (!exchange.isCompleted()) {
                exchange.fail();
            }
        } catch (RuntimeException bug) {
            LOG.log(System.Logger.Level.ERROR, "a call of " + peer + " failed", bug);
            if (!exchange.isCompleted()) {
                exchange.abort();
            }
        }
    }

    @Override
    public void onEnd(String cause) {
        List<CompletableFuture<ByteBuffer>> lost;
        lock.lock();
        try {
            over = true;
            inService -= ready.size();
            ready.clear();
            lost = new ArrayList<>(reverseCalls.values());
            reverseCalls.clear();
        } finally {
            lock.unlock();
        }
        lost.forEach(each -> each.completeExceptionally(new RpcRdmaException(Errno.ENOTCONN, "the connection of " + peer + " has ended")));
        LOG.log(System.Logger.Level.DEBUG, () -> "connection of " + peer + " ended: " + cause);
        server.service().onDisconnected(this);
        try {
            id.disconnect();
        } catch (VerbsException alreadyDisconnected) {
            // The peer, or the connection manager, was faster.
        }
        free();
    }

    @Override
    public void end() {
        disconnect();
    }

    /** Ends a connection whose thread was never started, or lets the thread end. */
    @Override
    public void disconnect() {
        boolean neverStarted;
        lock.lock();
        try {
            neverStarted = !started && !over;
            started = true;
        } finally {
            lock.unlock();
        }
        if (neverStarted) {
            onEnd("not established");
        } else {
            try {
                id.disconnect();
            } catch (VerbsException notConnected) {
                // Its thread ends with the receives that the queue pair flushes, or has ended.
            }
        }
    }

    /** Frees everything once no call is in the service: its buffers are in use until then. */
    private void free() {
        lock.lock();
        try {
            if (!over || inService > 0 || freed) {
                return;
            }
            freed = true;
        } finally {
            lock.unlock();
        }
        server.later(() -> {
            queuePair.close();
            id.close();
            server.onFreed(this);
        });
    }

    // ---- the service ----

    @Override
    public void serve(Exchange exchange) {
        inService++;
        ready.add(new RpcExchange(this, exchange));
    }

    MemorySegment workMemory(int buffer) {
        return work[buffer].memory();
    }

    void reply(Exchange exchange, int length) {
        complete(() -> machine.reply(exchange, length));
    }

    void fail(Exchange exchange) {
        complete(() -> machine.fail(exchange));
    }

    void abort(Exchange exchange) {
        complete(() -> machine.abort(exchange));
    }

    void drop(Exchange exchange) {
        complete(() -> machine.drop(exchange));
    }

    private void complete(Runnable step) {
        boolean last = false;
        lock.lock();
        try {
            inService--;
            last = over && inService == 0;
            if (!over) {
                step.run();
                transmit();
            }
        } catch (VerbsException ending) {
            LOG.log(System.Logger.Level.DEBUG, () -> "a reply to " + peer + " could not be sent: " + ending.getMessage());
        } finally {
            lock.unlock();
        }
        if (last) {
            free();
        }
    }

    // ---- reverse calls ----

    @Override
    public CompletableFuture<ByteBuffer> call(ByteBuffer message) {
        CompletableFuture<ByteBuffer> reply = new CompletableFuture<>();
        int xid = message.getInt(message.position());
        lock.lock();
        try {
            if (over || !started) {
                return failed(Errno.ENOTCONN, "the connection of " + peer + " has ended");
            }
            int limit = Math.min(options.inlineBytes(), peerData.receiveBytes()) - TransportHeader.PLAIN_LENGTH;
            if (message.remaining() > limit) {
                return failed(Errno.EINVAL, "a call to the client has at most " + limit + " bytes, not " + message.remaining());
            }
            int buffer = machine.beginCall();
            if (buffer < 0 || reverseCalls.putIfAbsent(xid, reply) != null) {
                return failed(Errno.EAGAIN, "too many calls to " + peer + " are under way");
            }
            queuePair.outgoing(buffer).put(TransportHeader.PLAIN_LENGTH, message, message.position(), message.remaining());
            machine.call(buffer, xid, message.remaining());
            transmit();
        } finally {
            lock.unlock();
        }
        reply.whenComplete((value, failure) -> forget(xid, reply));
        return reply;
    }

    private void forget(int xid, CompletableFuture<ByteBuffer> reply) {
        lock.lock();
        try {
            if (reverseCalls.remove(xid, reply)) {
                machine.abandonCall(xid);
            }
        } finally {
            lock.unlock();
        }
    }

    private static CompletableFuture<ByteBuffer> failed(Errno errno, String detail) {
        return CompletableFuture.failedFuture(new RpcRdmaException(errno, detail));
    }

    @Override
    public void reverseReply(int xid, ByteBuffer message, int at, int length) {
        CompletableFuture<ByteBuffer> reply = reverseCalls.remove(xid);
        if (reply != null) {
            byte[] copy = new byte[length];
            message.get(at, copy);
            reply.completeAsync(() -> ByteBuffer.wrap(copy));
        }
    }

    @Override
    public void reverseFailed(int xid) {
        CompletableFuture<ByteBuffer> reply = reverseCalls.remove(xid);
        if (reply != null) {
            server.later(() -> reply.completeExceptionally(new RpcRdmaException(Errno.EPROTO, "the client refused the header")));
        }
    }

    // ---- properties ----

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public boolean isOpen() {
        lock.lock();
        try {
            return started && !over;
        } finally {
            lock.unlock();
        }
    }

    // ---- the machine's work requests ----

    @Override
    public void postReceive(int slot) {
        queuePair.postReceive(WorkId.receive(slot), slot);
    }

    @Override
    public void postRead(long id, int buffer, int offset, int length, long address, int rkey) {
        queuePair.prepareRead(id, work[buffer], offset, length, address, rkey);
    }

    @Override
    public void postWrite(long id, boolean reporting, int buffer, int offset, int length, long address, int rkey) {
        queuePair.prepareWrite(id, reporting, work[buffer], offset, length, address, rkey);
    }

    @Override
    public void postSend(long id, int buffer, int length, int rkey) {
        queuePair.prepareSend(id, buffer, length, rkey);
    }

    @Override
    public ByteBuffer received(int slot) {
        return queuePair.received(slot);
    }

    @Override
    public ByteBuffer outgoing(int buffer) {
        return queuePair.outgoing(buffer);
    }

    @Override
    public ByteBuffer work(int buffer) {
        if (work[buffer] == null) {
            work[buffer] = queuePair.allocate(options.workBytes());
            workBuffers[buffer] = work[buffer].memory().asByteBuffer();
        }
        return workBuffers[buffer];
    }
}
