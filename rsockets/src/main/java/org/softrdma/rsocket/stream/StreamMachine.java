// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Errno;

/**
 * Protocol machine of one end of a stream, from the exchange of {@link ConnectionData} on. Input are completions, time and the program's
 * calls; output are work requests, through a {@link StreamPort}. No clock, thread or socket; one caller at a time. Call {@link #transmit}
 * after any sequence of other calls, and {@link #onTimer} at {@link #deadlineNs} if keep-alives are configured.
 */
public final class StreamMachine {
    private static final int NOTHING = -1;

    /** States in their order; a stream never returns to an earlier one. */
    private enum State {
        STARTING, CONNECTED,
        /** One of the two ends disconnected; data received before can still be read. */
        DISCONNECTED,
        /** The cause is {@link #fault}. */
        FAILED
    }

    private final StreamPort port;
    private final StreamSettings settings;
    private final Inbound inbound;
    private final Outbound outbound;
    private State state = State.STARTING;
    private boolean inputOpen = true;
    private boolean outputOpen = true;
    /** The peer has shut down its output. */
    private boolean peerIsDone;
    /** Work requests left for grants, credits and control messages. */
    private int freeControls;
    /** Control message that waits for a work request, or {@link #NOTHING}. */
    private int farewell = NOTHING;
    private boolean disconnecting;
    private StreamException fault;
    private long keepAliveAtNs;

    /**
     * Makes a machine that is not connected.
     *
     * @param port        posts the work requests
     * @param settings    numbers of requests, and keep-alives
     * @param sendRing    bytes on their way to the peer
     * @param receiveRing written by the peer
     * @param targetList  memory of a {@link TargetList}
     */
    public StreamMachine(StreamPort port, StreamSettings settings, ByteBuffer sendRing, ByteBuffer receiveRing, ByteBuffer targetList) {
        this.port = port;
        this.settings = settings;
        inbound = new Inbound(receiveRing, settings.receives());
        outbound = new Outbound(sendRing, new TargetList(targetList), settings.signalling(), settings.transferRequests());
        freeControls = settings.controlRequests();
    }

    /**
     * Starts the stream with the peer's data.
     *
     * @param peer  what the peer sent with the connection
     * @param nowNs current time
     */
    public void begin(ConnectionData peer, long nowNs) {
        inbound.begin(peer);
        outbound.begin(peer);
        state = State.CONNECTED;
        keepAliveAtNs = nowNs + settings.keepAliveNs();
    }

    // ---- completions and time ----

    /**
     * Processes a message of the peer, whose receive has been posted again.
     *
     * @param message u32
     */
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
            // This end offers no memory for direct transfers: every index is wrong.
            case Message.IOMAP -> throw StreamException.of(Violation.IOMAP_BEYOND_LIST, "index " + value + " of 0");
            case Message.CONTROL -> control(value);
            default -> throw StreamException.of(Violation.RESERVED_MESSAGE, "kind " + kind + ", number " + value);
        }
    }

    /** Processes a control message. Unknown ones are ignored, as keep-alives were by early versions of the protocol. */
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

    /** Ends the stream when both outputs are shut down; if this end's SHUTDOWN is not sent yet, it becomes a DISCONNECT first. */
    private void endBothWays() {
        if (farewell == NOTHING) {
            state = State.DISCONNECTED;
        } else {
            farewell = Message.DISCONNECT;
        }
    }

    /**
     * Completes a work request.
     *
     * @param message of the work request; for the SEND after a transfer, the transfer's kind with value 0
     */
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

    /**
     * Reports a received SEND that is not a message.
     *
     * @param bytes its length
     */
    public void onMalformed(int bytes) {
        fail(StreamException.of(Violation.MALFORMED_MESSAGE, bytes + " bytes"));
    }

    /**
     * Reports a failed work request.
     *
     * @param completion for messages
     */
    public void onFailure(String completion) {
        fail(new StreamException(Errno.EIO, completion));
    }

    /** Reports the end of the connection. It is a failure only if the stream has not been disconnected before. */
    public void onReset() {
        fail(new StreamException(Errno.ECONNRESET, "the connection ended before the peer closed the stream"));
    }

    private void fail(StreamException cause) {
        if (state == State.CONNECTED) {
            state = State.FAILED;
            fault = cause;
        }
    }

    /**
     * Sends a keep-alive if one is due.
     *
     * @param nowNs current time
     */
    public void onTimer(long nowNs) {
        if (nowNs - deadlineNs() >= 0) {
            keepAliveAtNs = nowNs + settings.keepAliveNs();
            if (state == State.CONNECTED && freeControls > 0) {
                freeControls--;
                port.keepAlive();
            }
        }
    }

    /** {@return time of the next {@link #onTimer}; meaningful with keep-alives only} */
    public long deadlineNs() {
        return keepAliveAtNs;
    }

    /** Sends grants, credits and control messages that are due. Must be called after all other calls, until {@link #isIdle}. */
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
            port.send(Message.of(Message.CONTROL, number));
        }
    }

    // ---- calls of the program ----

    /**
     * Reads received bytes.
     *
     * @param into destination, filled as far as there are bytes
     * @return bytes, 0 if there are none now, -1 at the end of the stream
     * @throws StreamException cause of the stream's failure, after all bytes received before were read
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
     * Sends bytes.
     *
     * @param from source, consumed as far as there is room
     * @return bytes, 0 if none can be sent now, -1 if the program has shut down the output
     * @throws StreamException cause of the stream's failure; ECONNRESET if the peer closed the stream
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

    /** Ends the output direction; the peer is notified after the data. */
    public void shutdownOutput() {
        if (outputOpen) {
            outputOpen = false;
            farewell = inputOpen ? Message.SHUTDOWN : Message.DISCONNECT;
        }
    }

    /** Ends the input direction; data received before can be read. */
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

    // ---- state ----

    /** {@return whether the stream has begun and neither ended nor failed} */
    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    /** {@return whether a read would not return 0} */
    public boolean isReadable() {
        return inbound.hasData() || !inputOpen || state != State.CONNECTED;
    }

    /** {@return whether a write would not return 0} */
    public boolean isWritable() {
        return !outputOpen || state != State.CONNECTED || outbound.canSend();
    }

    /** {@return whether the stream ended before both ends wanted it} */
    public boolean hasFailed() {
        return state == State.FAILED;
    }

    /** {@return whether all data and messages have arrived, or never will} */
    public boolean isIdle() {
        return state != State.CONNECTED
            || farewell == NOTHING && freeControls == settings.controlRequests() && outbound.isIdle();
    }
}
