// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.nio.ByteBuffer;
import org.softrdma.rpcrdma.wire.ChunkLists;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.rpcrdma.wire.TransportHeader;

/**
 * Protocol machine of the server's end of a connection. Input are received messages, completions and replies of the service; output are
 * work requests and calls to serve, through a {@link ResponderPort}. No clock, thread or device; one caller at a time. Call
 * {@link #transmit} after any sequence of other calls.
 *
 * <p>A message waits in its receive slot for an {@link Exchange}, which has a send buffer for the reply; then, if it has chunks, for a work
 * buffer. Parts of the call that are in the client's memory are read before the call is served. The slot's receive is posted again before
 * the reply is sent, since the reply gives the client its credit back.
 *
 * <p>Source: RFC 8166; RFC 8167 for calls in the reverse direction. A message that cannot be executed is answered as Linux's nfsd does.
 */
public final class ResponderMachine {
    /** RPC message types. Source: RFC 5531 §9 */
    private static final int CALL = 0;
    private static final int REPLY = 1;
    private static final int TYPE_OFFSET = 4;
    /** Bytes of an RPC message that are needed to tell what it is. */
    private static final int SHORTEST_MESSAGE = 8;

    private final ResponderSettings settings;
    private final ResponderPort port;
    private final TransportCounters counters;
    private final SendQueue sends;
    private final ReverseCalls reverse;
    private final Exchange[] exchanges;
    private final IntQueue freeExchanges;
    private final IntQueue freeBuffers;
    /** Slots with messages that wait for an exchange. */
    private final IntQueue waitingSlots;
    private final int[] messageBytes;
    /** Exchanges that wait for a work buffer; that read parts of their calls; that are to be answered. */
    private final IntQueue waiting;
    private final IntQueue reading;
    private final IntQueue answering;
    private int inWork;

    /** Makes the machine of a connection that is not established yet. */
    public ResponderMachine(ResponderSettings settings, ResponderPort port, TransportCounters counters) {
        this.settings = settings;
        this.port = port;
        this.counters = counters;
        int count = settings.receives();
        sends = new SendQueue(settings.sendQueue());
        reverse = new ReverseCalls(settings.reverseCalls(), count);
        exchanges = new Exchange[count];
        freeExchanges = filled(count);
        freeBuffers = filled(settings.workBuffers());
        waitingSlots = new IntQueue(count);
        messageBytes = new int[count];
        waiting = new IntQueue(count);
        reading = new IntQueue(count);
        answering = new IntQueue(count);
        for (int i = 0; i < count; i++) {
            exchanges[i] = new Exchange(i, settings);
        }
    }

    private static IntQueue filled(int count) {
        IntQueue queue = new IntQueue(count);
        for (int i = 0; i < count; i++) {
            queue.add(i);
        }
        return queue;
    }

    /** Posts the receives; before the connection is accepted. */
    public void begin() {
        for (int slot = 0; slot < settings.receives(); slot++) {
            port.postReceive(slot);
        }
    }

    // ---- input ----

    /** Processes a received message. */
    public void onMessage(int slot, int length) {
        ByteBuffer b = port.received(slot);
        if (length < Integer.BYTES) {
            counters.count(TransportCounter.RUNTS);
            port.postReceive(slot);
        } else if (length >= TransportHeader.LENGTH && isForReverse(b, length)) {
            onReverse(slot, b, length);
        } else {
            messageBytes[slot] = length;
            waitingSlots.add(slot);
        }
    }

    /** Whether a message answers a reverse call, or is of a procedure that needs no answer. */
    private static boolean isForReverse(ByteBuffer b, int length) {
        if (TransportHeader.version(b, 0) != TransportHeader.VERSION) {
            return false;
        }
        return switch (TransportHeader.procedure(b, 0)) {
            case TransportHeader.DONE, TransportHeader.ERROR -> true;
            case TransportHeader.MSG -> length >= TransportHeader.PLAIN_LENGTH + SHORTEST_MESSAGE && isPlain(b)
                && b.getInt(TransportHeader.PLAIN_LENGTH + TYPE_OFFSET) == REPLY;
            default -> false;
        };
    }

    private static boolean isPlain(ByteBuffer b) {
        return (b.getInt(TransportHeader.LENGTH) | b.getInt(TransportHeader.LENGTH + 4) | b.getInt(TransportHeader.LENGTH + 8)) == 0;
    }

    private void onReverse(int slot, ByteBuffer b, int length) {
        int xid = TransportHeader.xid(b, 0);
        if (TransportHeader.procedure(b, 0) == TransportHeader.DONE) {
            counters.count(TransportCounter.IGNORED_MESSAGES);
        } else if (!reverse.onReply(xid, TransportHeader.credits(b, 0))) {
            counters.count(TransportHeader.procedure(b, 0) == TransportHeader.ERROR ? TransportCounter.IGNORED_MESSAGES
                : TransportCounter.UNKNOWN_REPLIES);
        } else if (TransportHeader.procedure(b, 0) == TransportHeader.ERROR) {
            port.reverseFailed(xid);
        } else {
            port.reverseReply(xid, b, TransportHeader.PLAIN_LENGTH, length - TransportHeader.PLAIN_LENGTH);
        }
        port.postReceive(slot);
    }

    /** Processes the completion of a work request. */
    public void onCompletion(long id) {
        sends.complete(id);
        int index = WorkId.index(id);
        switch (WorkId.kind(id)) {
            case WorkId.READ -> onRead(exchanges[index]);
            case WorkId.SEND -> free(exchanges[index]);
            case WorkId.REVERSE -> reverse.onSent(index);
            default -> {
                // A WRITE in the middle of a reply: its place is free again.
            }
        }
    }

    private void onRead(Exchange exchange) {
        exchange.readsDone++;
        if (exchange.hasAllReads()) {
            serve(exchange, exchange.work(), 0, exchange.assembly.length());
        }
    }

    /**
     * Takes the reply of the service.
     *
     * @param length bytes written to {@link Exchange#reply}
     */
    public void reply(Exchange exchange, int length) {
        if (exchange.finish(length, settings.grant())) {
            counters.count(TransportCounter.REPLIES);
            if (exchange.placement.writes() > 0) {
                counters.count(exchange.isInReplyChunk() ? TransportCounter.LONG_REPLIES : TransportCounter.REPLIES_WITH_WRITE_CHUNKS);
            }
            exchange.invalidate = settings.invalidation() ? exchange.lists.onlyHandle() : 0;
            answer(exchange);
        } else {
            refuse(exchange, HeaderFault.REPLY_TOO_LONG);
        }
    }

    /** Answers a call whose reply is longer than {@link Exchange#reply} with an error of this protocol. */
    public void fail(Exchange exchange) {
        refuse(exchange, HeaderFault.REPLY_TOO_LONG);
    }

    /** Answers a call whose service has failed with an error of this protocol. */
    public void abort(Exchange exchange) {
        counters.count(TransportCounter.SERVICE_FAILURES);
        refuse(exchange);
    }

    /** Ends an exchange without an answer. */
    public void drop(Exchange exchange) {
        inWork--;
        port.postReceive(exchange.slot);
        free(exchange);
    }

    // ---- calls in the reverse direction ----

    /**
     * Takes a send buffer for a call to the client; the RPC message is written behind {@link TransportHeader#PLAIN_LENGTH} bytes.
     *
     * @return number of the buffer for {@link ResponderPort#outgoing} and {@link #call}, or -1 if too many calls are under way
     */
    public int beginCall() {
        return reverse.take();
    }

    /** Sends a call to the client when its credits permit. The RPC message begins with the XID. */
    public void call(int buffer, int xid, int length) {
        TransportHeader.putPlain(port.outgoing(buffer), 0, xid, settings.reverseCalls());
        reverse.send(buffer, xid, TransportHeader.PLAIN_LENGTH + length);
        counters.count(TransportCounter.REVERSE_CALLS);
    }

    /** Forgets a call to the client whose reply is not awaited any more. Its credit remains taken until the reply arrives. */
    public void abandonCall(int xid) {
        reverse.abandon(xid);
    }

    // ---- output ----

    /** Does everything that is due. */
    public void transmit() {
        admit();
        postReads();
        postReplies();
        reverse.transmit(port, sends);
    }

    private void admit() {
        while (!waitingSlots.isEmpty() && !freeExchanges.isEmpty()) {
            start(waitingSlots.remove(), exchanges[freeExchanges.remove()]);
        }
        while (!waiting.isEmpty() && !freeBuffers.isEmpty()) {
            Exchange exchange = exchanges[waiting.remove()];
            int buffer = freeBuffers.remove();
            exchange.useBuffer(buffer, port.work(buffer));
            collect(exchange);
        }
    }

    /** Begins an exchange with the message in a slot. */
    private void start(int slot, Exchange exchange) {
        ByteBuffer b = port.received(slot);
        int length = messageBytes[slot];
        exchange.begin(slot, TransportHeader.xid(b, 0), port.outgoing(exchange.index));
        HeaderFault fault = check(exchange, b, length);
        counters.count(TransportCounter.CALLS);
        if (++inWork > settings.grant()) {
            counters.count(TransportCounter.CALLS_BEYOND_CREDITS);
        }
        if (fault != null) {
            refuse(exchange, fault);
        } else if (exchange.lists.chunks() > 0) {
            waiting.add(exchange.index);
        } else {
            serveInline(exchange);
        }
    }

    private HeaderFault check(Exchange exchange, ByteBuffer b, int length) {
        if (length < TransportHeader.LENGTH) {
            return HeaderFault.TRUNCATED;
        }
        if (TransportHeader.version(b, 0) != TransportHeader.VERSION) {
            return HeaderFault.VERSION;
        }
        int procedure = TransportHeader.procedure(b, 0);
        if (procedure != TransportHeader.MSG && procedure != TransportHeader.NOMSG) {
            return HeaderFault.PROCEDURE;
        }
        ChunkLists lists = exchange.lists;
        HeaderFault fault = lists.parse(b, 0, length);
        return fault != null ? fault
            : exchange.assembly.plan(lists, lists.messageStart(), length, procedure == TransportHeader.NOMSG, settings.maxCall());
    }

    private void serveInline(Exchange exchange) {
        serve(exchange, port.received(exchange.slot), exchange.lists.messageStart(), exchange.assembly.length());
    }

    /** Goes on with an exchange that has a work buffer. */
    private void collect(Exchange exchange) {
        if (exchange.lists.reads() == 0) {
            serveInline(exchange);
            return;
        }
        counters.count(TransportCounter.CALLS_WITH_READ_CHUNKS);
        exchange.assembly.copyInline(port.received(exchange.slot), exchange.work());
        if (exchange.hasAllReads()) {
            serve(exchange, exchange.work(), 0, exchange.assembly.length());
        } else {
            reading.add(exchange.index);
        }
    }

    private void serve(Exchange exchange, ByteBuffer from, int at, int length) {
        if (length < SHORTEST_MESSAGE || from.getInt(at) != exchange.xid || from.getInt(at + TYPE_OFFSET) != CALL) {
            refuse(exchange, HeaderFault.XID_MISMATCH);
        } else {
            exchange.serve(from, at, length);
            port.serve(exchange);
        }
    }

    private void postReads() {
        while (!reading.isEmpty() && !sends.isFull()) {
            Exchange exchange = exchanges[reading.first()];
            CallAssembly call = exchange.assembly;
            int read = exchange.readsPosted++;
            sends.take();
            port.postRead(sends.reporting(WorkId.READ, exchange.index), exchange.buffer, call.target(read), call.bytes(read),
                call.address(read), call.rkey(read));
            if (exchange.readsPosted == call.reads()) {
                reading.remove();
            }
        }
    }

    private void refuse(Exchange exchange, HeaderFault fault) {
        counters.count(fault);
        if (fault == HeaderFault.VERSION) {
            int version = TransportHeader.version(port.received(exchange.slot), 0);
            TransportHeader.putVersionError(exchange.outgoing(), 0, exchange.xid, version, settings.grant());
            exchange.sendBytes = TransportHeader.VERSION_ERROR_LENGTH;
            answer(exchange);
        } else {
            refuse(exchange);
        }
    }

    private void refuse(Exchange exchange) {
        exchange.forgetPlacement();
        TransportHeader.putChunkError(exchange.outgoing(), 0, exchange.xid, settings.grant());
        exchange.sendBytes = TransportHeader.CHUNK_ERROR_LENGTH;
        answer(exchange);
    }

    private void answer(Exchange exchange) {
        inWork--;
        port.postReceive(exchange.slot);
        exchange.slot = Exchange.NONE;
        answering.add(exchange.index);
    }

    private void postReplies() {
        while (!answering.isEmpty() && !sends.isFull()) {
            Exchange exchange = exchanges[answering.first()];
            if (exchange.writesPosted < exchange.placement.writes()) {
                postWrite(exchange, exchange.writesPosted++);
            } else {
                answering.remove();
                sends.take();
                if (exchange.invalidate != 0) {
                    counters.count(TransportCounter.INVALIDATIONS);
                }
                port.postSend(sends.reporting(WorkId.SEND, exchange.index), exchange.index, exchange.sendBytes, exchange.invalidate);
            }
        }
    }

    private void postWrite(Exchange exchange, int write) {
        Placement placement = exchange.placement;
        int segment = placement.segment(write);
        boolean reporting = sends.take();
        long id = reporting ? sends.reporting(WorkId.WRITE, exchange.index) : WorkId.of(WorkId.WRITE, 0, exchange.index);
        port.postWrite(id, reporting, exchange.buffer, placement.offset(write), placement.bytes(write), exchange.lists.address(segment),
            exchange.lists.handle(segment));
    }

    private void free(Exchange exchange) {
        if (exchange.buffer != Exchange.NONE) {
            freeBuffers.add(exchange.buffer);
            exchange.buffer = Exchange.NONE;
        }
        freeExchanges.add(exchange.index);
    }
}
