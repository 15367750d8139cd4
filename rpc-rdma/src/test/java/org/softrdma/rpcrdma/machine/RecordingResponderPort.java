// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.softrdma.rpcrdma.wire.Golden;

/** Writes down what a {@link ResponderMachine} does; the test completes work requests by {@link #ids}. */
final class RecordingResponderPort implements ResponderPort {
    final List<String> done = new ArrayList<>();
    final List<Long> ids = new ArrayList<>();
    final List<Exchange> served = new ArrayList<>();
    private final ByteBuffer[] received;
    private final ByteBuffer[] outgoing;
    private final ByteBuffer[] work;

    RecordingResponderPort(int slots, int buffers, int bytes, int workBuffers, int workBytes) {
        received = buffers(slots, bytes);
        outgoing = buffers(buffers, bytes);
        work = buffers(workBuffers, workBytes);
    }

    private static ByteBuffer[] buffers(int count, int bytes) {
        ByteBuffer[] all = new ByteBuffer[count];
        Arrays.setAll(all, i -> ByteBuffer.allocate(bytes));
        return all;
    }

    /** @return what was done since the last call */
    List<String> take() {
        List<String> taken = new ArrayList<>(done);
        done.clear();
        return taken;
    }

    @Override
    public void postReceive(int slot) {
        done.add("receive " + slot);
    }

    @Override
    public void postRead(long id, int buffer, int offset, int length, long address, int rkey) {
        ids.add(id);
        done.add(String.format("read %d+%d from %x:%x", offset, length, rkey, address));
    }

    @Override
    public void postWrite(long id, boolean reporting, int buffer, int offset, int length, long address, int rkey) {
        if (reporting) {
            ids.add(id);
        }
        done.add(String.format("write %d to %x:%x", length, rkey, address));
    }

    @Override
    public void postSend(long id, int buffer, int length, int rkey) {
        ids.add(id);
        done.add((rkey == 0 ? "send " : String.format("send-inv %x ", rkey)) + Golden.words(outgoing[buffer], length & ~3));
    }

    @Override
    public ByteBuffer received(int slot) {
        return received[slot];
    }

    @Override
    public ByteBuffer outgoing(int buffer) {
        return outgoing[buffer];
    }

    @Override
    public ByteBuffer work(int buffer) {
        return work[buffer];
    }

    @Override
    public void serve(Exchange exchange) {
        served.add(exchange);
        done.add("serve " + exchange.message().remaining());
    }

    @Override
    public void reverseReply(int xid, ByteBuffer message, int at, int length) {
        done.add(String.format("reverse reply %x, %d bytes", xid, length));
    }

    @Override
    public void reverseFailed(int xid) {
        done.add(String.format("reverse failed %x", xid));
    }
}
