// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.softrdma.rpcrdma.RpcMemory;
import org.softrdma.rpcrdma.RpcRdmaClient;
import org.softrdma.rpcrdma.RpcReply;
import org.softrdma.rpcrdma.RpcRequest;

/** Calls of NFS version 3, written by hand from RFC 1813. */
final class Nfs3Client {
    static final int NFS = 100003;
    static final int MOUNT = 100005;

    private final RpcRdmaClient client;
    private int xid = 0x1000;

    Nfs3Client(RpcRdmaClient client) {
        this.client = client;
    }

    static ByteBuffer header(int xid, int program, int version, int procedure) {
        return ByteBuffer.allocate(3000).putInt(xid).putInt(0).putInt(2).putInt(program).putInt(version).putInt(procedure)
            .putInt(0).putInt(0).putInt(0).putInt(0);
    }

    static ByteBuffer opaque(ByteBuffer call, byte[] bytes) {
        return call.putInt(bytes.length).put(bytes).put(new byte[-bytes.length & 3]);
    }

    static ByteBuffer text(ByteBuffer call, String text) {
        return opaque(call, text.getBytes(StandardCharsets.UTF_8));
    }

    static ByteBuffer noAttributes(ByteBuffer call) {
        return call.putInt(0).putInt(0).putInt(0).putInt(0).putInt(0).putInt(0);
    }

    /** Sends a call and checks that RPC has accepted it; the results follow at the position. */
    ByteBuffer call(int program, int procedure, Consumer<ByteBuffer> arguments) throws Exception {
        return call(program, procedure, arguments, request -> { });
    }

    ByteBuffer call(int program, int procedure, Consumer<ByteBuffer> arguments, Consumer<RpcRequest> memory) throws Exception {
        ByteBuffer call = header(++xid, program, 3, procedure);
        arguments.accept(call);
        ByteBuffer reply = send(call, memory).message();
        assertEquals(0, reply.getInt(20), "accepted, but not executed");
        return reply.position(24);
    }

    RpcReply send(ByteBuffer call, Consumer<RpcRequest> memory) throws Exception {
        RpcRequest request = new RpcRequest(call.duplicate().flip());
        memory.accept(request);
        return client.call(request).get(30, TimeUnit.SECONDS);
    }

    /** Sends a call of NFS and checks its status; the results after it follow. */
    ByteBuffer expect(int status, int procedure, Consumer<ByteBuffer> arguments) throws Exception {
        ByteBuffer results = call(NFS, procedure, arguments);
        assertEquals(status, results.getInt(), "status of procedure " + procedure);
        return results;
    }

    static byte[] opaque(ByteBuffer results) {
        byte[] bytes = new byte[results.getInt()];
        results.get(bytes);
        results.position(results.position() + (-bytes.length & 3));
        return bytes;
    }

    byte[] mount() throws Exception {
        ByteBuffer results = call(MOUNT, 1, call -> text(call, "/"));
        assertEquals(0, results.getInt());
        return opaque(results);
    }

    byte[] lookup(byte[] directory, String name) throws Exception {
        return opaque(expect(0, 3, call -> text(opaque(call, directory), name)));
    }

    int lookupStatus(byte[] directory, String name) throws Exception {
        return call(NFS, 3, call -> text(opaque(call, directory), name)).getInt();
    }

    byte[] create(byte[] directory, String name) throws Exception {
        ByteBuffer results = expect(0, 8, call -> noAttributes(text(opaque(call, directory), name).putInt(1)));
        assertEquals(1, results.getInt());
        return opaque(results);
    }

    byte[] makeDirectory(byte[] directory, String name) throws Exception {
        ByteBuffer results = expect(0, 9, call -> noAttributes(text(opaque(call, directory), name)));
        assertEquals(1, results.getInt());
        return opaque(results);
    }

    void link(byte[] directory, String name, String target) throws Exception {
        expect(0, 10, call -> text(noAttributes(text(opaque(call, directory), name)), target));
    }

    /** Writes by a read chunk: the data belong behind their length, the last word of the inline part. */
    void write(byte[] file, long offset, RpcMemory memory, int length) throws Exception {
        ByteBuffer results = call(NFS, 7, call -> opaque(call, file).putLong(offset).putInt(length).putInt(0).putInt(length),
            request -> request.read(40 + 4 + file.length + 20, memory, 0, length));
        assertEquals(0, results.getInt());
    }

    /** Reads by a write chunk. @return bytes read; whether the end was reached is the sign: negative, less one */
    int read(byte[] file, long offset, RpcMemory memory, int length) throws Exception {
        ByteBuffer results = call(NFS, 6, call -> opaque(call, file).putLong(offset).putInt(length),
            request -> request.write(memory, 0, length));
        assertEquals(0, results.getInt());
        results.position(results.position() + 88);
        int count = results.getInt();
        boolean end = results.getInt() == 1;
        assertEquals(count, results.getInt());
        assertEquals(0, results.remaining());
        return end ? -count - 1 : count;
    }
}
