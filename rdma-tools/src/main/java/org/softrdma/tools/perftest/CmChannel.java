// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Control messages as SENDs over a reliable connection of the connection manager. Since the ends take turns, one receive is enough: it is
 * posted again before the next message is sent.
 */
final class CmChannel implements ControlChannel {
    private static final String SERVER_FAILED = "\n Unable to perform rdma_server function\n Unable to init the socket connection";
    private static final String CLIENT_FAILED = "\n Unable to perform rdma_client function\n Unable to init the socket connection";
    private static final int RNR_RETRIES = 7;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment outgoing = arena.allocate(Keys.STRUCTURE_BYTES, 8);
    private final MemorySegment incoming = arena.allocate(Keys.STRUCTURE_BYTES, 8);
    private final CmId id;
    private MemoryRegion outgoingRegion;
    private MemoryRegion incomingRegion;

    private CmChannel(CmId id) {
        this.id = id;
    }

    /**
     * Connects to the server.
     *
     * @throws ToolFailure in the original's words
     */
    static CmChannel connect(Parameters parameters) {
        CmId id = ConnectionManager.get(parameters.origin).createId(null, null, PortSpace.TCP);
        try {
            CmAddress.resolve(id, parameters);
            CmChannel channel = new CmChannel(id);
            channel.open();
            id.connect(quiet(parameters));
            return channel;
        } catch (VerbsException refused) {
            String event = id.event() == null ? "" : "Unexpected CM event bl blka " + id.event().type().value() + "\n";
            id.close();
            throw new ToolFailure(event + refused.getMessage() + CLIENT_FAILED);
        }
    }

    /**
     * Accepts one client and closes the listener.
     *
     * @throws ToolFailure in the original's words
     */
    static CmChannel accept(Parameters parameters) {
        try (CmId listener = ConnectionManager.get(parameters.origin).createId(null, null, PortSpace.TCP)) {
            CmAddress.listen(listener, parameters, 1);
            CmId id = listener.getRequest();
            CmChannel channel = new CmChannel(id);
            channel.open();
            id.accept(quiet(parameters));
            return channel;
        } catch (VerbsException refused) {
            throw new ToolFailure((refused.verb().equals("bind_addr") ? " rdma_bind_addr failed\n" : "") + refused.getMessage()
                + SERVER_FAILED);
        }
    }

    private static ConnectionParameters quiet(Parameters parameters) {
        return ConnectionParameters.DEFAULT.withReads(0, 0)
            .withRetries(Math.min(parameters.retryCount, ConnectionParameters.MAX_RETRIES), RNR_RETRIES);
    }

    private void open() {
        id.createQp(null, new QpInitAttributes(QpType.RC, null, null, null, new QpCapabilities(1, 1, 1, 1, 0), true));
        outgoingRegion = id.pd().register(outgoing, AccessFlags.LOCAL_WRITE);
        incomingRegion = id.pd().register(incoming, AccessFlags.LOCAL_WRITE);
        postReceive();
    }

    private void postReceive() {
        id.qp().postReceive(new ReceiveRequest().begin(0).element(incomingRegion, 0, Keys.STRUCTURE_BYTES));
    }

    @Override
    public void write(byte[] message) throws IOException {
        MemorySegment.copy(message, 0, outgoing, ValueLayout.JAVA_BYTE, 0, message.length);
        WorkCompletion sent = new WorkCompletion();
        attempt(() -> {
            id.qp().postSend(new SendRequest().send().element(outgoingRegion, 0, message.length).signaled());
            id.awaitSend(sent);
        });
        require(sent);
    }

    @Override
    public byte[] read(int bytes) throws IOException {
        WorkCompletion received = new WorkCompletion();
        attempt(() -> id.awaitReceive(received));
        require(received);
        if (received.byteLength() != bytes) {
            throw new IOException("a message of " + received.byteLength() + " bytes came where " + bytes + " are due");
        }
        byte[] message = incoming.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        attempt(this::postReceive);
        return message;
    }

    /** Does nothing: the peer is notified of the end of such a connection. */
    @Override
    public void writeDone() {
        // the connection's end is reported by the connection manager
    }

    @Override
    public boolean isText() {
        return false;
    }

    private static void attempt(Runnable verb) throws IOException {
        try {
            verb.run();
        } catch (VerbsException refused) {
            throw new IOException(refused.getMessage(), refused);
        }
    }

    private static void require(WorkCompletion completion) throws IOException {
        if (!completion.isSuccess()) {
            throw new IOException("Bad wc status " + completion.status().value() + ": " + completion.status().text());
        }
    }

    @Override
    public void close() {
        id.destroyQp();
        if (outgoingRegion != null) {
            outgoingRegion.close();
        }
        if (incomingRegion != null) {
            incomingRegion.close();
        }
        id.close();
        arena.close();
    }
}
