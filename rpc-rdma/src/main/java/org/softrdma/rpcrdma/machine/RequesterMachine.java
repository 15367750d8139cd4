// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.softrdma.rpcrdma.wire.ChunkLists;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.rpcrdma.wire.TransportHeader;

/**
 * Protocol machine of the client's end, over all connections that follow one another: calls that were not answered when a connection ended
 * are sent again, with the same XID, on the next one. Input are calls, received messages and completions; output are work requests,
 * through a {@link RequesterPort}. No clock, thread or device; one caller at a time. Call {@link #transmit} after any sequence of other
 * calls.
 *
 * <p>Memory that a call exposes is bound to windows before the call is sent. They are invalidated before its reply is reported, unless the
 * server has done that, so that the server cannot change the memory afterwards. The data of a call that the server can receive inline,
 * such as those of a short NFS WRITE, are part of the SEND instead: neither a window nor an RDMA READ is needed. Such a call is reported
 * when the SEND is complete as well, since the memory may be sent again until then.
 *
 * <p>Source: RFC 8166, RFC 8167.
 */
public final class RequesterMachine {
    private static final int CALL = 0;
    private static final int TYPE_OFFSET = 4;
    private static final int SHORTEST_MESSAGE = 8;

    private final RequesterSettings settings;
    private final RequesterPort port;
    private final TransportCounters counters;
    private final SendQueue sends;
    private final ChunkLists replyLists = new ChunkLists();
    private final ClientCall[] calls;
    private final IntQueue freeCalls;
    private final IntQueue queued;
    private final boolean[] sending;
    /** Slots of reverse calls in work, by number; -1 for none. */
    private final int[] reverseSlots;
    private final int[] reverseXids;
    private final boolean[] reverseSending;
    private boolean connected;
    private int inlineBytes;
    private int gatheredBytes;
    private int credits;
    /** Calls whose receives are taken: sent, and not reported yet. */
    private int outstanding;

    /** Makes a machine that is not connected. */
    public RequesterMachine(RequesterSettings settings, RequesterPort port, TransportCounters counters) {
        this.settings = settings;
        this.port = port;
        this.counters = counters;
        sends = new SendQueue(settings.sendQueue());
        calls = new ClientCall[settings.calls()];
        freeCalls = new IntQueue(calls.length);
        queued = new IntQueue(calls.length);
        sending = new boolean[calls.length];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = new ClientCall(i);
            freeCalls.add(i);
        }
        reverseSlots = new int[settings.reverseCalls()];
        reverseXids = new int[settings.reverseCalls()];
        reverseSending = new boolean[settings.reverseCalls()];
        Arrays.fill(reverseSlots, -1);
    }

    // ---- connections ----

    /** Posts the receives of a new connection, before it is requested. */
    public void begin() {
        sends.reset(settings.sendQueue());
        for (int slot = 0; slot < settings.receives(); slot++) {
            port.postReceive(slot);
        }
    }

    /**
     * Starts to send calls.
     *
     * @param inlineBytes   longest SEND of a send buffer that the server receives
     * @param gatheredBytes longest SEND with memory of the caller that the server receives; 0 if such SENDs are not possible
     */
    public void onConnected(int inlineBytes, int gatheredBytes) {
        this.inlineBytes = inlineBytes;
        this.gatheredBytes = gatheredBytes;
        connected = true;
        credits = 1;
    }

    /** Queues the calls that were not answered; all work requests of the connection are gone. */
    public void onDisconnected() {
        connected = false;
        outstanding = 0;
        Arrays.fill(reverseSlots, -1);
        Arrays.fill(reverseSending, false);
        for (ClientCall each : calls) {
            boolean wasSending = sending[each.index];
            sending[each.index] = false;
            switch (each.state) {
                case SENT -> {
                    // Windows end with their queue pair, and the next connection may go without.
                    each.forgetKeys();
                    each.state = ClientCall.State.QUEUED;
                    queued.add(each.index);
                }
                case INVALIDATING, SENDING -> report(each);
                case FREE -> {
                    if (wasSending) {
                        freeCalls.add(each.index);
                    }
                }
                default -> {
                    // Not sent yet.
                }
            }
        }
    }

    // ---- calls ----

    /** {@return whether {@link #call} would take a call now} */
    public boolean canTake() {
        return !freeCalls.isEmpty();
    }

    /** {@return whether no call is under way} */
    public boolean isIdle() {
        return Arrays.stream(calls).allMatch(each -> each.state == ClientCall.State.FREE);
    }

    /**
     * Takes a call; {@link #canTake} holds.
     *
     * @param message   the RPC call without its read chunks; empty if it is wholly in a read chunk at position 0. Copied
     * @param xid       that of the RPC call
     * @param exposures in the order READ, WRITE, REPLY, at most {@link ClientCall#MAX_EXPOSURES}
     * @return the call, or null if the message does not fit inline
     */
    public ClientCall call(int xid, ByteBuffer message, List<Exposure> exposures) {
        ClientCall call = calls[freeCalls.first()];
        ByteBuffer outgoing = port.outgoing(call.index);
        int room = connected ? Math.min(inlineBytes, outgoing.capacity()) : outgoing.capacity();
        if (!call.begin(xid, message, exposures, outgoing, room)) {
            return null;
        }
        freeCalls.remove();
        call.state = ClientCall.State.QUEUED;
        queued.add(call.index);
        return call;
    }

    // ---- input ----

    /**
     * Processes a received message.
     *
     * @param invalidated key that the server's SEND has invalidated; 0 for none
     */
    public void onMessage(int slot, int length, int invalidated) {
        ByteBuffer b = port.received(slot);
        if (length < TransportHeader.LENGTH || TransportHeader.version(b, 0) != TransportHeader.VERSION && !isVersionError(b, length)) {
            counters.count(length < TransportHeader.LENGTH ? HeaderFault.TRUNCATED : HeaderFault.VERSION);
            port.postReceive(slot);
        } else if (isReverseCall(b, length)) {
            onReverseCall(slot, b, length);
        } else {
            onReply(slot, b, length, invalidated);
        }
    }

    /** Whether a message is an error about the version; its version word may repeat that of the call. */
    private static boolean isVersionError(ByteBuffer b, int length) {
        return TransportHeader.procedure(b, 0) == TransportHeader.ERROR && length >= TransportHeader.CHUNK_ERROR_LENGTH
            && TransportHeader.error(b, 0) == TransportHeader.ERR_VERS;
    }

    private static boolean isReverseCall(ByteBuffer b, int length) {
        return TransportHeader.procedure(b, 0) == TransportHeader.MSG && length >= TransportHeader.PLAIN_LENGTH + SHORTEST_MESSAGE
            && (b.getInt(TransportHeader.LENGTH) | b.getInt(TransportHeader.LENGTH + 4) | b.getInt(TransportHeader.LENGTH + 8)) == 0
            && b.getInt(TransportHeader.PLAIN_LENGTH + TYPE_OFFSET) == CALL;
    }

    private void onReply(int slot, ByteBuffer b, int length, int invalidated) {
        ClientCall call = find(TransportHeader.xid(b, 0));
        if (call == null) {
            counters.count(TransportHeader.procedure(b, 0) == TransportHeader.DONE ? TransportCounter.IGNORED_MESSAGES
                : TransportCounter.UNKNOWN_REPLIES);
            port.postReceive(slot);
            return;
        }
        credits = Math.clamp(Integer.toUnsignedLong(TransportHeader.credits(b, 0)), 1, settings.calls());
        call.slot = slot;
        call.invalidated(invalidated);
        call.fault = read(call, b, length);
        if (call.fault != null) {
            counters.count(call.fault);
            counters.count(TransportCounter.BAD_REPLIES);
        }
        call.state = ClientCall.State.INVALIDATING;
        invalidate(call);
    }

    private ClientCall find(int xid) {
        for (ClientCall each : calls) {
            if (each.state == ClientCall.State.SENT && each.xid == xid) {
                return each;
            }
        }
        return null;
    }

    private HeaderFault read(ClientCall call, ByteBuffer b, int length) {
        int procedure = TransportHeader.procedure(b, 0);
        if (procedure == TransportHeader.ERROR) {
            return isVersionError(b, length) ? HeaderFault.VERSION : HeaderFault.REFUSED;
        }
        if (procedure != TransportHeader.MSG && procedure != TransportHeader.NOMSG) {
            return HeaderFault.PROCEDURE;
        }
        HeaderFault fault = replyLists.parse(b, 0, length);
        if (fault != null) {
            return fault;
        }
        if (!call.onReply(b, length, replyLists)) {
            return HeaderFault.REPLY_CHUNKS;
        }
        boolean foreign = procedure == TransportHeader.MSG
            && (call.replyBytes() < SHORTEST_MESSAGE || b.getInt(replyLists.messageStart()) != call.xid);
        return foreign ? HeaderFault.XID_MISMATCH : null;
    }

    /** Invalidates what the server has not; without such keys the call ends at once. */
    private void invalidate(ClientCall call) {
        int left = 0;
        for (int i = 0; settings.bind() && i < call.exposed(); i++) {
            if (call.keys[i] != 0) {
                left++;
            }
        }
        if (left == 0) {
            if (call.isGathered() && sending[call.index]) {
                call.state = ClientCall.State.SENDING;
            } else {
                report(call);
            }
            return;
        }
        for (int i = 0; i < call.exposed(); i++) {
            if (call.keys[i] != 0) {
                left--;
                boolean reporting = sends.take() || left == 0;
                long id = left == 0 ? sends.reporting(WorkId.INVALIDATE, call.index)
                    : reporting ? sends.reporting(WorkId.WRITE, call.index) : WorkId.of(WorkId.WRITE, 0, call.index);
                port.postInvalidate(id, reporting, call.keys[i]);
                call.keys[i] = 0;
            }
        }
    }

    private void report(ClientCall call) {
        call.state = ClientCall.State.FREE;
        if (connected) {
            outstanding--;
        }
        if (call.fault == null) {
            counters.count(TransportCounter.REPLIES);
            port.completed(call, port.received(call.slot), call.replyAt);
        } else {
            port.failed(call, call.fault);
        }
        if (connected && call.slot >= 0) {
            port.postReceive(call.slot);
        }
        if (!sending[call.index]) {
            freeCalls.add(call.index);
        }
    }

    /** Processes the completion of a work request. */
    public void onCompletion(long id) {
        sends.complete(id);
        int index = WorkId.index(id);
        switch (WorkId.kind(id)) {
            case WorkId.SEND -> {
                sending[index] = false;
                if (calls[index].state == ClientCall.State.FREE) {
                    freeCalls.add(index);
                } else if (calls[index].state == ClientCall.State.SENDING) {
                    report(calls[index]);
                }
            }
            case WorkId.INVALIDATE -> report(calls[index]);
            case WorkId.REVERSE -> reverseSending[index] = false;
            default -> {
                // Binding or invalidation in a long run: its place is free again.
            }
        }
    }

    // ---- calls of the server ----

    private void onReverseCall(int slot, ByteBuffer b, int length) {
        counters.count(TransportCounter.REVERSE_CALLS);
        for (int i = 0; i < reverseSlots.length; i++) {
            if (reverseSlots[i] < 0 && !reverseSending[i]) {
                reverseSlots[i] = slot;
                reverseXids[i] = TransportHeader.xid(b, 0);
                port.reverseCall(i, b, TransportHeader.PLAIN_LENGTH, length - TransportHeader.PLAIN_LENGTH);
                return;
            }
        }
        counters.count(TransportCounter.REVERSE_OVERRUNS);
        port.postReceive(slot);
    }

    /** @return send buffer of the reply to a reverse call; the RPC message is written behind {@link TransportHeader#PLAIN_LENGTH} bytes */
    public ByteBuffer reverseReply(int number) {
        return port.outgoing(settings.calls() + number);
    }

    /**
     * Sends the reply to a reverse call. Nothing is sent if the connection of the call has ended.
     *
     * @param length bytes of the RPC message; 0 to send no reply
     */
    public void replyToReverse(int number, int length) {
        int slot = reverseSlots[number];
        if (slot < 0) {
            return;
        }
        reverseSlots[number] = -1;
        port.postReceive(slot);
        if (length > 0) {
            reverseSending[number] = true;
            TransportHeader.putPlain(reverseReply(number), 0, reverseXids[number], settings.reverseCalls());
            sends.take();
            port.postSend(sends.reporting(WorkId.REVERSE, number), settings.calls() + number, TransportHeader.PLAIN_LENGTH + length);
        }
    }

    // ---- output ----

    /** Sends the calls that the server's credits permit. */
    public void transmit() {
        // Room for the invalidations of all calls, and for the replies to reverse calls, is kept.
        int reserve = settings.reverseCalls() + settings.calls() * ClientCall.MAX_EXPOSURES;
        while (connected && !queued.isEmpty() && outstanding < credits && sends.hasRoom(reserve + ClientCall.MAX_EXPOSURES + 1)) {
            ClientCall call = calls[queued.remove()];
            outstanding++;
            if (call.bytes() > inlineBytes) {
                call.fault = HeaderFault.CALL_TOO_LONG;
                counters.count(call.fault);
                report(call);
            } else {
                send(call);
            }
        }
    }

    private void send(ClientCall call) {
        call.gather(gatheredBytes);
        if (!call.isGathered()) {
            expose(call);
        }
        counters.count(TransportCounter.CALLS);
        call.state = ClientCall.State.SENT;
        sending[call.index] = true;
        ByteBuffer outgoing = port.outgoing(call.index);
        sends.take();
        long id = sends.reporting(WorkId.SEND, call.index);
        if (call.isGathered()) {
            call.putPlainHeader(outgoing, settings.calls());
            port.postGatheredSend(id, call.index, call.sendStart(), call.bytesBefore(), call.exposure(0), call.bytesAfter());
        } else {
            call.putHeader(outgoing, settings.calls());
            port.postSend(id, call.index, call.bytes());
        }
    }

    private void expose(ClientCall call) {
        for (int i = 0; i < call.exposed(); i++) {
            Exposure memory = call.exposure(i);
            if (settings.bind()) {
                boolean reporting = sends.take();
                long id = reporting ? sends.reporting(WorkId.WRITE, call.index) : WorkId.of(WorkId.WRITE, 0, call.index);
                call.keys[i] = port.postBind(id, reporting, call.index * ClientCall.MAX_EXPOSURES + i, memory);
            } else {
                call.keys[i] = memory.rkey();
            }
        }
    }
}
