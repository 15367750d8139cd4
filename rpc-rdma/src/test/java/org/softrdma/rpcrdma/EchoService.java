// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * A program for tests. Its calls are {@code XID, 0, operation, argument, data}; its replies {@code XID, 1, argument, data}.
 *
 * <p>Operations: 0 returns the data; 1 writes as many bytes as the argument says, of value XID + index, into the client's memory, or
 * returns them inline; 2 sends no reply at the first time; 3 waits for {@link #gate}; 4 calls the client and returns its answer; 5 throws.
 */
final class EchoService implements RpcService {
    final Semaphore gate = new Semaphore(0);
    final List<Integer> xids = new ArrayList<>();
    final List<RpcConnection> ended = new ArrayList<>();

    @Override
    public void serve(RpcExchange exchange) {
        ByteBuffer call = exchange.message();
        int xid = call.getInt();
        call.getInt();
        int operation = call.getInt();
        int argument = call.getInt();
        synchronized (this) {
            xids.add(xid);
        }
        switch (operation) {
            case 0 -> exchange.send(header(exchange, xid, argument).put(call).position());
            case 1 -> exchange.send(fill(exchange, xid, argument));
            case 2 -> {
                if (served(xid) == 1) {
                    exchange.drop();
                } else {
                    exchange.send(header(exchange, xid, argument).position());
                }
            }
            case 3 -> Thread.ofVirtual().start(() -> {
                gate.acquireUninterruptibly();
                exchange.send(header(exchange, xid, argument).position());
            });
            case 4 -> callBack(exchange, xid, argument);
            default -> throw new IllegalStateException("as the test wants");
        }
    }

    private static ByteBuffer header(RpcExchange exchange, int xid, int argument) {
        return exchange.reply().putInt(xid).putInt(1).putInt(argument);
    }

    private static int fill(RpcExchange exchange, int xid, int bytes) {
        ByteBuffer reply = header(exchange, xid, bytes);
        boolean apart = exchange.nextItemBytes() >= bytes && exchange.nextItemBytes() > 0;
        ByteBuffer to = apart ? exchange.nextItem() : reply;
        for (int i = 0; i < bytes; i++) {
            to.put((byte) (xid + i));
        }
        if (apart) {
            exchange.itemDone(bytes);
        }
        return reply.position();
    }

    private static void callBack(RpcExchange exchange, int xid, int argument) {
        ByteBuffer call = ByteBuffer.allocate(12).putInt(argument).putInt(0).putInt(xid).flip();
        CompletableFuture<ByteBuffer> answer = exchange.connection().call(call);
        answer.whenComplete((reply, failure) ->
            exchange.send(header(exchange, xid, failure == null ? reply.getInt(8) : -1).position()));
    }

    @Override
    public synchronized void onDisconnected(RpcConnection connection) {
        ended.add(connection);
    }

    synchronized int served(int xid) {
        return (int) xids.stream().filter(each -> each == xid).count();
    }

    /** @return a call */
    static ByteBuffer call(int xid, int operation, int argument, byte... data) {
        return ByteBuffer.allocate(16 + data.length).putInt(xid).putInt(0).putInt(operation).putInt(argument).put(data).flip();
    }
}
