// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.soak;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Active end of the load: one connection after the other until the deadline. On each it does a random number of operations, checks every
 * byte, and ends the connection in one of three ways: disconnect, close without disconnect, disconnect by both.
 */
final class LoadClient implements Runnable {
    private static final int MOST_OPERATIONS = 40;

    private final int port;
    private final long untilNs;
    private final long pauseMs;
    private final SplittableRandom random;
    private final LongAdder connections;
    private final LongAdder operations;
    private final WorkCompletion completion = new WorkCompletion();

    /** @param pauseMs mean pause after an operation, to leave the processor to others */
    LoadClient(int port, long untilNs, long pauseMs, SplittableRandom random, LongAdder connections, LongAdder operations) {
        this.port = port;
        this.untilNs = untilNs;
        this.pauseMs = pauseMs;
        this.random = random;
        this.connections = connections;
        this.operations = operations;
    }

    @Override
    public void run() {
        try {
            while (System.nanoTime() - untilNs < 0) {
                connection();
                connections.increment();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void connection() throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment sent = arena.allocate(LoadServer.WINDOW_BYTES);
            MemorySegment received = arena.allocate(LoadServer.WINDOW_BYTES);
            try (CmId id = ConnectionManager.get().createEndpoint(
                     ConnectionManager.addressInfo("127.0.0.1", port, PortSpace.TCP, false), null, LoadServer.queuePair());
                 MemoryRegion from = id.pd().register(sent, 0);
                 MemoryRegion into = id.pd().register(received, AccessFlags.LOCAL_WRITE)) {
                postReceive(id, into);
                id.connect(ConnectionParameters.DEFAULT);
                id.awaitReceive(completion);
                expectSuccess("advertisement");
                long address = received.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                int rkey = received.get(ValueLayout.JAVA_INT_UNALIGNED, 8);
                for (int left = random.nextInt(1, MOST_OPERATIONS); left > 0; left--) {
                    if (random.nextBoolean()) {
                        writeAndRead(id, sent, from, received, into, address, rkey);
                    } else {
                        echo(id, sent, from, received, into);
                    }
                    operations.increment();
                    Thread.sleep(random.nextLong(2 * pauseMs + 1));
                }
                end(id, from, into);
            }
        }
    }

    private void writeAndRead(CmId id, MemorySegment sent, MemoryRegion from, MemorySegment received, MemoryRegion into, long address,
                              int rkey) {
        int bytes = random.nextInt(1, LoadServer.WINDOW_BYTES >> random.nextInt(18));
        int offset = random.nextInt(LoadServer.WINDOW_BYTES - bytes + 1);
        fill(sent, bytes);
        id.qp().postSend(new SendRequest().write(address + offset, rkey).element(from, 0, bytes));
        awaitSend(id, "WRITE");
        received.asSlice(0, bytes).fill((byte) 0);
        id.qp().postSend(new SendRequest().read(address + offset, rkey).element(into, 0, bytes));
        awaitSend(id, "READ");
        compare(sent, received, bytes);
    }

    private void echo(CmId id, MemorySegment sent, MemoryRegion from, MemorySegment received, MemoryRegion into) {
        int bytes = random.nextInt(2, LoadServer.MESSAGE_BYTES >> random.nextInt(14));
        fill(sent, bytes);
        postReceive(id, into);
        id.qp().postSend(new SendRequest().send().element(from, 0, bytes));
        awaitSend(id, "SEND");
        id.awaitReceive(completion);
        expectSuccess("answer");
        compare(sent, received, bytes);
    }

    private void end(CmId id, MemoryRegion from, MemoryRegion into) {
        switch (random.nextInt(3)) {
            case 0 -> id.disconnect();
            case 1 -> {
                // Closed by the caller without a disconnect.
            }
            default -> {
                // Both sides disconnect at the same time.
                postReceive(id, into);
                id.qp().postSend(new SendRequest().send().element(from, 0, 1));
                awaitSend(id, "last SEND");
                id.awaitReceive(completion);
                expectSuccess("last answer");
                id.disconnect();
            }
        }
    }

    private void fill(MemorySegment memory, int bytes) {
        for (int at = 0; at < bytes; at += 8) {
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
    }

    private static void compare(MemorySegment sent, MemorySegment received, int bytes) {
        long differs = MemorySegment.mismatch(sent, 0, bytes, received, 0, bytes);
        if (differs >= 0) {
            throw new IllegalStateException("byte " + differs + " of " + bytes + " differs");
        }
    }

    private static void postReceive(CmId id, MemoryRegion into) {
        id.qp().postReceive(new ReceiveRequest().begin(0).element(into, 0, LoadServer.MESSAGE_BYTES));
    }

    private void awaitSend(CmId id, String what) {
        id.awaitSend(completion);
        expectSuccess(what);
    }

    private void expectSuccess(String what) {
        if (completion.status() != WcStatus.SUCCESS) {
            throw new IllegalStateException(what + ": " + completion);
        }
    }
}
