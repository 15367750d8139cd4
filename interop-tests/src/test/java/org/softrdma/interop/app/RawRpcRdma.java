// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** A connection to a server of RPC-over-RDMA that sends any words, also such as are no message. */
final class RawRpcRdma implements AutoCloseable {
    private static final int RECEIVES = 32;
    private static final int MESSAGE = 4096;
    private static final long ANSWER_NS = 2_000_000_000L;
    private static final int FIRST_XID = 0x11000000;
    private static final int NFS = 100003;

    private static final int MSG = 0;
    private static final int NOMSG = 1;
    private static final int MSGP = 2;
    private static final int DONE = 3;
    private static final int ERROR = 4;
    private static final int UNKNOWN = 5;

    private final Arena arena = Arena.ofShared();
    private final WorkCompletion[] completion = WorkCompletion.array(1);
    private final CmId id;
    private final MemoryRegion receives;
    private final MemoryRegion sends;
    private final MemoryRegion exposed;
    private int xid = FIRST_XID;

    RawRpcRdma(String host, int port) throws Exception {
        QpInitAttributes attributes = new QpInitAttributes(QpType.RC, null, null, null, new QpCapabilities(16, 64, 2, 1, 0), true);
        id = ConnectionManager.get().createEndpoint(ConnectionManager.addressInfo(host, port, PortSpace.TCP, false), null, attributes);
        receives = id.pd().register(arena.allocate(MESSAGE * RECEIVES, MESSAGE), AccessFlags.LOCAL_WRITE);
        sends = id.pd().register(arena.allocate(MESSAGE, MESSAGE), AccessFlags.LOCAL_WRITE);
        exposed = id.pd().register(arena.allocate(2 * MESSAGE, MESSAGE),
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
        for (int i = 0; i < RECEIVES; i++) {
            postReceive(i);
        }
        byte[] privateData = HexFormat.of().parseHex("f6ab0e1801000303");
        id.connect(ConnectionParameters.DEFAULT.withPrivateData(privateData).withReads(16, 0).withRetries(6, 0));
    }

    private void postReceive(int index) {
        id.qp().postReceive(new ReceiveRequest().begin(index).element(receives, (long) index * MESSAGE, MESSAGE));
    }

    /** Sends messages that a server answers in a way of its own, and prints the answers, without XID, credits and addresses. */
    void printAnswers() {
        ask("version 2", nullCall(2, MSG, 0, 0, 0));
        ask("MSGP", ++xid, 1, 8, MSGP, 4, 4, 0, 0, 0);
        ask("type 5", nullCall(1, UNKNOWN, 0, 0, 0));
        ask("DONE", ++xid, 1, 8, DONE);
        ask("ERROR", ++xid, 1, 8, ERROR, 2);
        ask("write chunk without segments", nullCall(1, MSG, 0, 1, 0, 0, 0));
        ask("read position 2", nullCall(1, MSG, 1, 2, exposed.rkey(), 4, high(0), low(0), 0, 0, 0));
        ask("12 bytes", ++xid, 1, 8);
        ByteBuffer call = exposed.memory().asByteBuffer();
        int[] words = nullCall(1, MSG, 0, 0, 0);
        for (int i = 7; i < words.length; i++) {
            call.putInt(words[i]);
        }
        ask("call in a chunk", xid, 1, 8, NOMSG, 1, 0, exposed.rkey(), 40, high(0), low(0), 0, 0, 0);
        ask("reply chunk", nullCall(1, MSG, 0, 0, 1, 1, exposed.rkey(), MESSAGE, high(MESSAGE), low(MESSAGE)));
        System.out.println("in the reply chunk: " + hex(exposed.memory().asSlice(MESSAGE).asByteBuffer(), 4, 24));
    }

    private int high(int offset) {
        return (int) (exposed.address() + offset >>> 32);
    }

    private int low(int offset) {
        return (int) (exposed.address() + offset);
    }

    /** A call of NULL behind a header: its version and type, and its chunk lists. */
    private int[] nullCall(int version, int type, int... lists) {
        int[] head = {++xid, version, 8, type};
        int[] call = {xid, 0, 2, NFS, 3, 0, 0, 0, 0, 0};
        int[] all = new int[head.length + lists.length + call.length];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(lists, 0, all, head.length, lists.length);
        System.arraycopy(call, 0, all, head.length + lists.length, call.length);
        return all;
    }

    private void ask(String name, int... words) {
        ByteBuffer message = sends.memory().asByteBuffer();
        for (int each : words) {
            message.putInt(each);
        }
        id.qp().postSend(new SendRequest().send().wrId(1).element(sends, 0, message.position()).signaled());
        System.out.println(name + ": " + answer(words[0]));
    }

    private String answer(int asked) {
        long deadlineNs = System.nanoTime() + ANSWER_NS;
        while (System.nanoTime() - deadlineNs < 0) {
            id.sendCq().poll(completion);
            if (id.receiveCq().poll(completion) == 1) {
                if (!completion[0].isSuccess()) {
                    return completion[0].status().toString();
                }
                int index = (int) completion[0].wrId();
                ByteBuffer received = receives.memory().asSlice((long) index * MESSAGE, MESSAGE).asByteBuffer();
                String text = (received.getInt(0) == asked ? "" : "of another call ") + received.getInt(4) + " "
                    + hex(received, 12, completion[0].byteLength());
                postReceive(index);
                return text;
            }
            Thread.onSpinWait();
        }
        return "none";
    }

    /** Words from a position to the end, without those of addresses in this process. */
    private String hex(ByteBuffer bytes, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int at = from; at < to; at += 4) {
            int word = bytes.getInt(at);
            String shown = word == exposed.rkey() ? "rkey" : word == high(MESSAGE) ? "high" : word == low(MESSAGE) ? "low"
                : word >>> 8 == FIRST_XID >>> 8 ? "xid" : Integer.toHexString(word);
            text.append(text.isEmpty() ? "" : " ").append(shown);
        }
        return text.toString();
    }

    @Override
    public void close() {
        id.disconnect();
        id.close();
        arena.close();
    }
}
