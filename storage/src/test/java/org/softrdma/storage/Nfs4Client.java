// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.softrdma.rpcrdma.RpcRdmaClient;
import org.softrdma.rpcrdma.RpcRequest;

/** A client of NFS version 4.1 with one session. Its calls are written by hand from RFC 8881. */
final class Nfs4Client {
    static final int ACCESS = 3;
    static final int CLOSE = 4;
    static final int COMMIT = 5;
    static final int CREATE = 6;
    static final int GETATTR = 9;
    static final int GETFH = 10;
    static final int LINK = 11;
    static final int LOCK = 12;
    static final int LOCKT = 13;
    static final int LOCKU = 14;
    static final int LOOKUP = 15;
    static final int LOOKUPP = 16;
    static final int NVERIFY = 17;
    static final int OPEN = 18;
    static final int OPEN_DOWNGRADE = 21;
    static final int PUTFH = 22;
    static final int PUTROOTFH = 24;
    static final int READ = 25;
    static final int READDIR = 26;
    static final int READLINK = 27;
    static final int REMOVE = 28;
    static final int RENAME = 29;
    static final int RESTOREFH = 31;
    static final int SAVEFH = 32;
    static final int SETATTR = 34;
    static final int VERIFY = 37;
    static final int WRITE = 38;
    static final int BIND_CONN_TO_SESSION = 41;
    static final int EXCHANGE_ID = 42;
    static final int CREATE_SESSION = 43;
    static final int DESTROY_SESSION = 44;
    static final int FREE_STATEID = 45;
    static final int LAYOUTGET = 50;
    static final int SECINFO_NO_NAME = 52;
    static final int SEQUENCE = 53;
    static final int TEST_STATEID = 55;
    static final int DESTROY_CLIENTID = 57;
    static final int RECLAIM_COMPLETE = 58;

    static final int NFS = 100003;
    private static final int NO_FLAGS = 0;
    private static final int RPC_HEADER = 40;
    private static final int COMPOUND_HEADER = 12;

    private final RpcRdmaClient connection;
    private int xid = 0x4000;

    long clientId;
    byte[] session = new byte[16];
    int sequence;

    Nfs4Client(RpcRdmaClient connection) {
        this.connection = connection;
    }

    // ---- operations ----

    /** Operations of a call. */
    static final class Operations {
        final ByteBuffer bytes;
        int count;

        Operations(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        /** Begins an operation; its arguments are words. */
        Operations add(int operation, int... words) {
            count++;
            bytes.putInt(operation);
            return words(words);
        }

        Operations words(int... words) {
            for (int each : words) {
                bytes.putInt(each);
            }
            return this;
        }

        Operations opaque(byte[] opaque) {
            Nfs3Client.opaque(bytes, opaque);
            return this;
        }

        Operations fixed(byte[] fixed) {
            bytes.put(fixed);
            return this;
        }

        Operations text(String text) {
            return opaque(text.getBytes(StandardCharsets.UTF_8));
        }

        Operations put(byte[] handle) {
            return add(PUTFH).opaque(handle);
        }

        Operations root() {
            return add(PUTROOTFH);
        }

        Operations sequence(Nfs4Client client, boolean cached) {
            return add(SEQUENCE).fixed(client.session).words(client.sequence, 0, 0, cached ? 1 : 0);
        }

        /** Opens a file by its name; what follows says whether and how it is created. */
        Operations open(int access, int deny, long clientId, String owner) {
            add(OPEN, 0, access, deny);
            bytes.putLong(clientId);
            return text(owner);
        }

        Operations noAttributes() {
            return words(0, 0);
        }
    }

    // ---- calls ----

    static ByteBuffer compound(int xid, int minorVersion, Consumer<Operations> operations) {
        ByteBuffer call = Nfs3Client.header(xid, NFS, 4, 1).putInt(0).putInt(minorVersion).putInt(0);
        Operations all = new Operations(call);
        operations.accept(all);
        return call.putInt(RPC_HEADER + COMPOUND_HEADER - 4, all.count).flip();
    }

    /** Sends a call and checks that RPC has accepted it. @return its results, from the status on */
    ByteBuffer send(ByteBuffer call, Consumer<RpcRequest> memory) throws Exception {
        RpcRequest request = new RpcRequest(call);
        memory.accept(request);
        ByteBuffer reply = connection.call(request).get(30, TimeUnit.SECONDS).message();
        assertEquals(0, reply.getInt(20), "accepted, but not executed");
        return reply.position(24).slice();
    }

    /** Sends a call outside of the session. @return its results, from the status on */
    ByteBuffer send(Consumer<Operations> operations) throws Exception {
        return send(compound(++xid, 1, operations), request -> { });
    }

    /**
     * Executes operations in the session and checks the status of the call.
     *
     * @return the results of the operations after SEQUENCE
     */
    ByteBuffer call(int status, Consumer<Operations> operations) throws Exception {
        return call(status, operations, request -> { });
    }

    ByteBuffer call(int status, Consumer<Operations> operations, Consumer<RpcRequest> memory) throws Exception {
        sequence++;
        return results(status, send(compound(++xid, 1, all -> operations.accept(all.sequence(this, true))), memory));
    }

    static ByteBuffer results(int status, ByteBuffer reply) {
        assertEquals(status, reply.getInt(), "status");
        reply.position(12);
        result(reply, SEQUENCE, 0);
        return reply.position(reply.position() + 36);
    }

    /** Checks the head of a result. */
    static ByteBuffer result(ByteBuffer results, int operation, int status) {
        assertEquals(operation, results.getInt(), "operation");
        assertEquals(status, results.getInt(), "status of operation " + operation);
        return results;
    }

    static byte[] bytes(ByteBuffer results, int length) {
        byte[] bytes = new byte[length];
        results.get(bytes);
        return bytes;
    }

    // ---- session ----

    static void exchangeId(Operations all, String name, long verifier) {
        all.add(EXCHANGE_ID);
        all.bytes.putLong(verifier);
        all.text(name).words(NO_FLAGS, 0, 0);
    }

    static void createSession(Operations all, long clientId, int sequence) {
        all.add(CREATE_SESSION);
        all.bytes.putLong(clientId);
        all.words(sequence, 0);
        for (int i = 0; i < 2; i++) {
            all.words(0, 1 << 20, 1 << 20, 4096, 16, 8, 0);
        }
        // The program of calls to the client, with AUTH_SYS.
        all.words(0x40000000, 1, 1, 0).text("host").words(0, 0, 1, 7);
    }

    void start(String name) throws Exception {
        ByteBuffer known = send(all -> exchangeId(all, name, 1));
        assertEquals(0, known.getInt());
        clientId = result(known.position(12), EXCHANGE_ID, 0).getLong();
        int next = known.getInt();
        ByteBuffer created = send(all -> createSession(all, clientId, next));
        assertEquals(0, created.getInt());
        result(created.position(12), CREATE_SESSION, 0).get(session);
        sequence = 0;
        call(0, all -> all.add(RECLAIM_COMPLETE, 0));
    }

    // ---- files ----

    /** Opens a file, which is created if it is not there. @return its handle and state */
    Open open(String name, int access, int deny, String owner) throws Exception {
        ByteBuffer results = call(0, all -> all.root().open(access, deny, clientId, owner).words(1, 0).noAttributes().words(0).text(name)
            .add(GETFH));
        result(results, PUTROOTFH, 0);
        byte[] state = bytes(result(results, OPEN, 0), 16);
        results.position(results.position() + 20 + 4);
        results.position(results.position() + 4 + 4 * results.getInt(results.position()) + 4);
        return new Open(Nfs3Client.opaque(result(results, GETFH, 0)), state);
    }

    /** An open file. */
    record Open(byte[] handle, byte[] state) {
    }

    int[] lockWords(int type, long offset, long length) {
        return new int[] {type, 0, (int) (offset >>> 32), (int) offset, (int) (length >>> 32), (int) length};
    }

    /** Locks for the first time. @return the results of LOCK, from its status on */
    ByteBuffer lock(int status, Open file, int type, long offset, long length, String owner) throws Exception {
        ByteBuffer results = call(status, all -> {
            all.put(file.handle).add(LOCK, lockWords(type, offset, length)).words(1, 0).fixed(file.state).words(0);
            all.bytes.putLong(clientId);
            all.text(owner);
        });
        result(results, PUTFH, 0);
        return result(results, LOCK, status);
    }
}
