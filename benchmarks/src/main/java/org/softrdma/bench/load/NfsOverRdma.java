// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.softrdma.rpcrdma.ClientOptions;
import org.softrdma.rpcrdma.RpcMemory;
import org.softrdma.rpcrdma.RpcRdmaClient;
import org.softrdma.rpcrdma.RpcReply;
import org.softrdma.rpcrdma.RpcRequest;

/** Calls over RDMA: the data of a READ come by a write chunk, those of a WRITE go by a read chunk. */
final class NfsOverRdma implements NfsCalls.Transport {
    private final NfsMessages messages;
    private final RpcRdmaClient client;
    private final List<RpcMemory> memories = new ArrayList<>();
    private final List<CompletableFuture<RpcReply>> replies = new ArrayList<>();

    NfsOverRdma(InetSocketAddress server, NfsMessages messages, int calls, int largest) throws IOException {
        this.messages = messages;
        client = RpcRdmaClient.connect(server, ClientOptions.DEFAULT);
        for (int i = 0; i < calls; i++) {
            memories.add(client.allocate(largest));
            replies.add(null);
        }
    }

    @Override
    public void send(int slot, long offset, int size) throws IOException {
        ByteBuffer call = messages.call(offset, size);
        int position = call.remaining();
        RpcRequest request = new RpcRequest(call);
        if (messages.reads()) {
            request.write(memories.get(slot), 0, size);
        } else {
            request.read(position, memories.get(slot), 0, size);
        }
        replies.set(slot, client.call(request));
    }

    @Override
    public void await(int slot) throws IOException {
        NfsMessages.check(client.await(replies.get(slot)).message());
    }

    @Override
    public void close() throws IOException {
        client.close();
        memories.forEach(RpcMemory::close);
    }
}
