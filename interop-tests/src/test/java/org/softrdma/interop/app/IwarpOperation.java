// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.softrdma.interop.app.IwarpInitiator.Answer;
import org.softrdma.interop.app.IwarpResponder.Received;
import org.softrdma.interop.app.IwarpResponder.Region;
import org.softrdma.verbs.WcStatus;

/**
 * An operation between two ends over iWARP that no tool of rdmacm-utils performs.
 *
 * @param name     file name, and row of the matrix
 * @param sentence description of the operation
 * @param connects whether a connection is established
 * @param asked    messages, by their names in {@code IwarpReport}, that must be seen from the initiator after its request
 * @param answered messages that must be seen from the responder after its reply
 */
public record IwarpOperation(String name, String sentence, boolean connects, Set<String> asked, Set<String> answered, Body body) {
    private static final int RECEIVES = 2;
    private static final byte[] REFUSAL = "not today, the registry is closed".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] WRITTEN = "written through the key".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SENT = "you may have your key back".getBytes(StandardCharsets.US_ASCII);

    public static final List<IwarpOperation> ALL = List.of(
        new IwarpOperation("refused", "the request is refused, and the private data of the refusal arrives", false, Set.of(), Set.of(),
            IwarpOperation::refuse),
        new IwarpOperation("send-inv", "a WRITE under a key, a SEND that invalidates the key, a WRITE that is refused", true,
            Set.of("RDMA Write", "Send with Invalidate"), Set.of("Terminate"), IwarpOperation::sendWithInvalidate));

    /** Exchange between two ends, of which the second listens. */
    interface Body {
        void run(IwarpInitiator initiator, IwarpResponder responder, String address, int port);
    }

    static IwarpOperation find(String name) {
        return ALL.stream().filter(each -> each.name.equals(name)).findFirst().orElseThrow();
    }

    private static void refuse(IwarpInitiator initiator, IwarpResponder responder, String address, int port) {
        CompletableFuture<Answer> asking = CompletableFuture.supplyAsync(() -> initiator.connect(address, port));
        responder.refuse(REFUSAL);
        Answer answer = asking.join();
        expect("event", "RDMA_CM_EVENT_REJECTED", answer.event());
        expectBytes(REFUSAL, answer.privateData());
    }

    private static void sendWithInvalidate(IwarpInitiator initiator, IwarpResponder responder, String address, int port) {
        CompletableFuture<Answer> asking = CompletableFuture.supplyAsync(() -> initiator.connect(address, port));
        responder.accept(RECEIVES, IwarpResponder.SIZE);
        expect("event", "RDMA_CM_EVENT_ESTABLISHED", asking.join().event());
        Region memory = responder.invalidatable();
        expect("WRITE", WcStatus.SUCCESS, initiator.write(memory, WRITTEN));
        expect("SEND", WcStatus.SUCCESS, initiator.sendWithInvalidate(memory.stag(), SENT));
        Received received = responder.receive();
        expect("receive", WcStatus.SUCCESS, received.status());
        expectBytes(SENT, received.data());
        // The WRITE was sent first, so its data must be present.
        expectBytes(WRITTEN, Arrays.copyOf(responder.written(), WRITTEN.length));
        if (received.invalidated() != null) {
            expect("invalidated key", memory.stag(), received.invalidated());
        }
        // A WRITE is complete when TCP has accepted its data; its rejection shows in the end of the connection.
        initiator.write(memory, SENT);
        expect("event", "RDMA_CM_EVENT_DISCONNECTED", initiator.event());
        expectBytes(WRITTEN, Arrays.copyOf(responder.written(), WRITTEN.length));
    }

    private static void expect(String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError(what + ": expected " + expected + ", got " + actual);
        }
    }

    private static void expectBytes(byte[] expected, byte[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError("expected '" + new String(expected, StandardCharsets.US_ASCII) + "', got '"
                + new String(actual, StandardCharsets.US_ASCII) + "'");
        }
    }
}
