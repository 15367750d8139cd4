// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.softrdma.rpcrdma.RpcExchange;
import org.softrdma.rpcrdma.RpcRdmaServer;
import org.softrdma.rpcrdma.RpcService;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.mount.MountProgram;
import org.softrdma.storage.mount.TcpListener;
import org.softrdma.storage.nfs.Nfs3Program;
import org.softrdma.storage.nfs4.Nfs4Program;
import org.softrdma.storage.rpc.CallCounters;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.rpc.RpcPrograms;
import org.softrdma.verbs.VerbsException;

/**
 * An NFS server: versions 3 and 4.1 over RDMA connections, MOUNT over TCP. All clients act as the user who runs it. Data that clients
 * have not committed are in the page cache of this host and survive the end of the server, but not a crash of the host.
 */
public final class NfsServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(NfsServer.class.getName());

    /** How long a client of version 4.1 may be silent before others may take what it has locked. */
    private static final int LEASE_SECONDS = 60;

    private final CallCounters counters = new CallCounters();
    private final Export export;
    private final RpcPrograms programs;
    private final ConnectionThreads connectionThreads = new ConnectionThreads(System::nanoTime);
    /** For calls that may wait for the disk. As many are in work as clients have credits. */
    private final ExecutorService workers = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("nfs-", 0).factory());
    private final TcpListener mount;
    private final RpcRdmaServer server;

    private NfsServer(NfsOptions options, Consumer<String> trace) throws IOException {
        export = new Export(options.directory(), options.readOnly());
        SecureRandom random = new SecureRandom();
        long writeVerifier = random.nextLong();
        Nfs4Program.Identity identity = new Nfs4Program.Identity(random.nextInt(1, Integer.MAX_VALUE), identity(options), LEASE_SECONDS,
            options.graceSeconds());
        programs = new RpcPrograms(List.of(new Nfs3Program(export, Clock.systemUTC(), writeVerifier),
            new Nfs4Program(export, Clock.systemUTC(), System::nanoTime, writeVerifier, identity), new MountProgram(export)),
            counters, trace);
        mount = new TcpListener(new InetSocketAddress(options.mountPort()), programs, counters);
        try {
            server = RpcRdmaServer.start(options.addresses(), options.transport(), new Service());
        } catch (VerbsException refused) {
            mount.close();
            throw refused;
        }
    }

    /** A name that is the same after a restart, and differs from those of other servers: clients take those of one name for one. */
    private byte[] identity(NfsOptions options) {
        byte[] port = ByteBuffer.allocate(4).putInt(options.addresses().getFirst().getPort()).array();
        return ByteBuffer.allocate(FileHandle.BYTES + port.length).put(export.rootHandle().toBytes()).put(port).array();
    }

    /**
     * Starts a server.
     *
     * @param options of the server
     * @return the server, listening
     * @throws IOException    the directory cannot be exported, or the port of MOUNT is in use
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, ENODEV
     */
    public static NfsServer start(NfsOptions options) throws IOException {
        return new NfsServer(options, null);
    }

    /**
     * Starts a server that reports each call in a line of text.
     *
     * @param options of the server
     * @param trace   takes the lines, on any thread, after the call was executed and before its reply is sent
     * @return the server, listening
     * @throws IOException    the directory cannot be exported, or the port of MOUNT is in use
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL, ENODEV
     */
    public static NfsServer start(NfsOptions options, Consumer<String> trace) throws IOException {
        return new NfsServer(options, Objects.requireNonNull(trace));
    }

    /** {@return the addresses of RDMA connections, with the ports that were assigned} */
    public List<InetSocketAddress> addresses() {
        return server.addresses();
    }

    /** {@return the TCP port of MOUNT} */
    public int mountPort() {
        return mount.port();
    }

    /** {@return counters that are not 0, by name} */
    public Map<String, Long> counters() {
        Map<String, Long> all = new TreeMap<>(server.counters());
        all.putAll(counters.snapshot());
        return all;
    }

    /** Ends all connections. Calls in work are completed without a reply: clients send them again to the next server. */
    @Override
    public void close() {
        mount.close();
        server.close();
        workers.close();
        try {
            export.close();
        } catch (IOException failed) {
            LOG.log(System.Logger.Level.WARNING, "a file was not closed", failed);
        }
    }

    private final class Service implements RpcService {
        @Override
        public void serve(RpcExchange exchange) {
            if (connectionThreads.mayExecute() && programs.isShort(exchange.message())) {
                connectionThreads.execute(() -> execute(exchange));
            } else {
                workers.execute(() -> execute(exchange));
            }
        }

        private void execute(RpcExchange exchange) {
            ByteBuffer reply = exchange.reply();
            int bytes;
            try {
                bytes = programs.serve(exchange.connection().peer().getAddress(), exchange.message(), reply.slice(), new Chunks(exchange));
            } catch (BufferOverflowException tooLong) {
                exchange.fail();
                return;
            }
            if (bytes == RpcPrograms.NO_REPLY) {
                exchange.drop();
            } else {
                exchange.send(bytes);
            }
        }
    }

    /** The client's write chunks. */
    private record Chunks(RpcExchange exchange) implements ResultItems {
        @Override
        public int nextBytes() {
            return exchange.nextItemBytes();
        }

        @Override
        public ByteBuffer next() {
            return exchange.nextItem();
        }

        @Override
        public void done(int bytes) {
            exchange.itemDone(bytes);
        }
    }
}
