// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.softrdma.rpcrdma.ClientOptions;
import org.softrdma.rpcrdma.RpcMemory;
import org.softrdma.rpcrdma.RpcRdmaClient;
import org.softrdma.rpcrdma.RpcRequest;

/**
 * Calls of NFS version 3 to the kernel's nfsd, and messages that are none, and prints one line each: its name and the answer. Runs in the
 * lab's network namespace.
 *
 * <pre>
 *   NfsdApp GUEST-ADDRESS PORT
 * </pre>
 */
public final class NfsdApp {
    private static final int NFS = 100003;
    private static final int GETATTR = 1;
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int FILE_SYNC = 2;
    private static final int LARGE = 128 << 10;
    private static final int RPC_HEADER = 40;
    /** The kernel's handle of the root of the export whose number is 0: version 1, no authentication, number, no file. */
    private static final byte[] ROOT = HexFormat.of().parseHex("0100010000000000");

    private final RpcRdmaClient client;
    private int xid = 0x22000000;

    private NfsdApp(RpcRdmaClient client) {
        this.client = client;
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[1]);
        try (RawRpcRdma raw = new RawRpcRdma(args[0], port)) {
            raw.printAnswers();
        }
        try (RpcRdmaClient client = RpcRdmaClient.connect(new InetSocketAddress(args[0], port), ClientOptions.DEFAULT)) {
            new NfsdApp(client).run();
        }
        System.exit(0);
    }

    private static void print(String name, Object answer) {
        System.out.println(name + ": " + answer);
    }

    private ByteBuffer header(int program, int procedure) {
        return ByteBuffer.allocate(1000).putInt(++xid).putInt(0).putInt(2).putInt(program).putInt(3).putInt(procedure)
            .putInt(0).putInt(0).putInt(0).putInt(0);
    }

    /** @return the results, from the RPC status on */
    private ByteBuffer call(ByteBuffer call, Consumer<RpcRequest> memory) throws Exception {
        RpcRequest request = new RpcRequest(call.flip());
        memory.accept(request);
        return client.call(request).get(30, TimeUnit.SECONDS).message().position(20);
    }

    private static ByteBuffer opaque(ByteBuffer call, byte[] bytes) {
        return call.putInt(bytes.length).put(bytes).put(new byte[-bytes.length & 3]);
    }

    private void run() throws Exception {
        print("null", call(header(NFS, 0), none -> { }).getInt());
        print("another program", call(header(400000, 0), none -> { }).getInt());
        ByteBuffer attributes = call(opaque(header(NFS, GETATTR), ROOT), none -> { });
        print("getattr", attributes.getInt() + " " + attributes.getInt() + " type " + attributes.getInt());
        ByteBuffer found = call(opaque(opaque(header(NFS, LOOKUP), ROOT), "f".getBytes(StandardCharsets.US_ASCII)), none -> { });
        print("lookup", found.getInt() + " " + found.getInt());
        byte[] file = new byte[found.getInt()];
        found.get(file);
        try (RpcMemory memory = client.allocate(LARGE)) {
            print("read", read(file, memory) + " " + text(memory, 6));
            byte[] data = new byte[LARGE];
            new Random(1).nextBytes(data);
            memory.buffer().put(data);
            int position = RPC_HEADER + 4 + file.length + 8 + 4 + 4 + 4;
            ByteBuffer written = call(opaque(header(NFS, WRITE), file).putLong(0).putInt(LARGE).putInt(FILE_SYNC).putInt(LARGE),
                request -> request.read(position, memory, 0, LARGE));
            print("write", written.getInt() + " " + written.getInt());
            memory.segment().fill((byte) 0);
            print("read again", read(file, memory));
            byte[] got = new byte[LARGE];
            memory.buffer().get(got);
            print("same", Arrays.equals(data, got));
            file[file.length - 1] ^= 1;
            print("stale handle", call(opaque(header(NFS, GETATTR), file), none -> { }).getInt(24));
        }
    }

    private int read(byte[] file, RpcMemory memory) throws Exception {
        ByteBuffer results = call(opaque(header(NFS, READ), file).putLong(0).putInt(LARGE), request -> request.write(memory, 0, LARGE));
        // RPC status, status, attributes, count.
        return results.getInt(results.position() + 4 + 4 + 88);
    }

    private static String text(RpcMemory memory, int bytes) {
        byte[] text = new byte[bytes];
        memory.buffer().get(text);
        return new String(text, StandardCharsets.US_ASCII);
    }
}
