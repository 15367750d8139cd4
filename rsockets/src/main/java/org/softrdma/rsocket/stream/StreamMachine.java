// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Errno;

/**
 * One end of a stream, from the moment both ends know each other's {@link ConnectionData}. Completions, time and the program's calls in;
 * work requests out, through a {@link StreamPort}. No clock, thread or socket; one caller at a time.
 */
public final class StreamMachine {
    private static final int NOTHING = -1;

    /** A stream only moves forward through these. */
    private enum State {
        STARTING, CONNECTED,
        /** One of the two ends said goodbye, and what came before may still be read. */
        DISCONNECTED,
        /** {@link #fault} says why. */
        FAILED
    }

    private final StreamPort port;
    private final StreamSettings settings;
    private final Inbound inbound;
    private final Outbound outbound;
    private State state = State.STARTING;
    private boolean inputOpen = true;
    private boolean outputOpen = true;
    /** The peer said that no more data follow. */
    private boolean peerIsDone;
    private int freeControls;
    /** Control message that waits for a work request, or {@link #NOTHING}. */
    private int farewell = NOTHING;
    private boolean disconnecting;
    private StreamException fault;
    private long keepAliveAtNs;

    /** @param targetList see {@link TargetList} */
    public StreamMachine(StreamPort port, StreamSettings settings, ByteBuffer sendRing, ByteBuffer receiveRing, ByteBuffer targetList) {
        this.port = port;
        this.settings = settings;
        inbound = new Inbound(receiveRing, settings.receives());
        outbound = new Outbound(sendRing, new TargetList(targetList), settings.signalling(), settings.transferRequests());
        freeControls = settings.controlRequests();
    }

    /** The peer is known: it can be written to. */
    public void begin(ConnectionData peer, long nowNs) {
        inbound.begin(peer);
        outbound.begin(peer);
        state = State.CONNECTED;
        keepAliveAtNs = nowNs + settings.keepAliveNs();
    }

    // ---- what happens ----

    /** The peer's message came; the receive it took has been posted again. */
    public void onMessage(int message) {
        if (state != State.CONNECTED) {
            return;
        }
        try {
            take(Message.kind(message), Message.value(message));
        } catch (StreamException violation) {
            fail(violation);
        }
    }

    private void take(int kind, int value) throws StreamException {
        switch (kind) {
            case Message.DATA -> {
                if (peerIsDone) {
                    throw StreamException.of(Violation.DATA_AFTER_SHUTDOWN, value + " bytes");
                }
                inbound.onMessage();
                inbound.onData(value);
            }
            case Message.CREDITS -> outbound.onCredits(value & 0xffff);
            // We offer no memory for direct transfers, so no index is right.
            case Message.IOMAP -> throw StreamException.of(Violation.IOMAP_BEYOND_LIST, "index " + value + " of 0");
            case Message.CONTROL -> control(value);
            default -> throw StreamException.of(Violation.RESERVED_MESSAGE, "kind " + kind + ", number " + value);
        }
    }

    /** Numbers nobody knows mean nothing: keep-alives were once such. */
    private void control(int number) {
        if (number == Message.DISCONNECT) {
            state = State.DISCONNECTED;
        } else if (number == Message.SHUTDOWN) {
            peerIsDone = true;
            inputOpen = false;
            if (!outputOpen) {
                endBothWays();
            }
        }
    }

    /** Neither end writes any more. Should our own word of it still wait for a work request, the stream lasts until it is said. */
    private void endBothWays() {
        if (farewell == NOTHING) {
            state = State.DISCONNECTED;
        } else {
            farewell = Message.DISCONNECT;
        }
    }

    /** A work request is complete. @param message what was told with it; of a SEND behind a transfer, the transfer's kind and 0 */
    public void onSent(int message) {
        switch (Message.kind(message)) {
            case Message.DATA -> outbound.onSent(Message.value(message));
            case Message.CREDITS -> freeControls++;
            default -> {
                freeControls++;
                if (Message.value(message) == Message.DISCONNECT && state == State.CONNECTED) {
                    state = State.DISCONNECTED;
                }
            }
        }
    }

    /** The peer's message was none. */
    public void onMalformed(int bytes) {
        fail(StreamException.of(Violation.MALFORMED_MESSAGE, bytes + " bytes"));
    }

    /** A work request failed. */
    public void onFailure(String how) {
        fail(new StreamException(Errno.EIO, how));
    }

    /** The connection has ended, and the peer said nothing of it. */
    public void onReset() {
        fail(new StreamException(Errno.ECONNRESET, "the connection ended and the peer had not said goodbye"));
    }

    private void fail(StreamException why) {
        if (state == State.CONNECTED) {
            state = State.FAILED;
            fault = why;
        }
    }

    public void onTimer(long nowNs) {
        if (nowNs - deadlineNs() >= 0) {
            keepAliveAtNs = nowNs + settings.keepAliveNs();
            if (state == State.CONNECTED && freeControls > 0) {
                freeControls--;
                port.keepAlive();
            }
        }
    }

    /** When {@link #onTimer} has something to do; only of a machine with keep-alives. */
    public long deadlineNs() {
        return keepAliveAtNs;
    }

    /** Tells the peer what it should know by now. To be called after anything else, until {@link #isIdle}. */
    public void transmit() {
        if (state != State.CONNECTED || disconnecting) {
            return;
        }
        if (inbound.isGrantDue() && freeControls >= settings.signalling().requests()) {
            freeControls -= inbound.grant(port) ? settings.signalling().requests() : 1;
        }
        if (farewell != NOTHING && freeControls > 0) {
            int number = farewell;
            farewell = NOTHING;
            disconnecting = number == Message.DISCONNECT;
            freeControls--;
            port.tell(Message.of(Message.CONTROL, number));
        }
    }

    // ---- what the program does ----

    /**
     * @return bytes, 0 if there are none now, -1 at the end of the stream
     * @throws StreamException why the stream ended, once everything before was read
     */
    public int read(ByteBuffer into) throws StreamException {
        if (!into.hasRemaining()) {
            return 0;
        }
        if (inbound.hasData()) {
            return inbound.read(into);
        }
        if (state == State.FAILED) {
            throw fault;
        }
        return inputOpen && state == State.CONNECTED ? 0 : -1;
    }

    /**
     * @return bytes, 0 if none can be sent now, -1 if the program shut it down itself
     * @throws StreamException why the stream ended; ECONNRESET if the peer said goodbye
     */
    public int write(ByteBuffer from) throws StreamException {
        if (state == State.FAILED) {
            throw fault;
        }
        if (!outputOpen) {
            return -1;
        }
        if (state == State.DISCONNECTED) {
            throw new StreamException(Errno.ECONNRESET, "the peer has closed the stream");
        }
        return outbound.send(from, port);
    }

    /** No more is written. The peer hears of it, behind the data. */
    public void shutdownOutput() {
        if (outputOpen) {
            outputOpen = false;
            farewell = inputOpen ? Message.SHUTDOWN : Message.DISCONNECT;
        }
    }

    /** No more is read than has come. */
    public void shutdownInput() {
        if (inputOpen) {
            inputOpen = false;
            if (!outputOpen) {
                farewell = Message.DISCONNECT;
            }
        }
    }

    /** Ends both directions. */
    public void disconnect() {
        inputOpen = false;
        outputOpen = false;
        farewell = Message.DISCONNECT;
    }

    // ---- what there is to know ----

    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    /** A read would not be 0. */
    public boolean isReadable() {
        return inbound.hasData() || !inputOpen || state != State.CONNECTED;
    }

    /** A write would not be 0. */
    public boolean isWritable() {
        return !outputOpen || state != State.CONNECTED || outbound.canSend();
    }

    public boolean hasFailed() {
        return state == State.FAILED;
    }

    /** Whether everything that was written and said has arrived, or never will. */
    public boolean isIdle() {
        return state != State.CONNECTED
            || farewell == NOTHING && freeControls == settings.controlRequests() && outbound.isIdle();
    }
}
