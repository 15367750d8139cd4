// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.softrdma.storage.NfsOptions;
import org.softrdma.storage.NfsServer;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.mount.TcpListener;
import org.softrdma.storage.nfs.Nfs3Program;
import org.softrdma.storage.rpc.CallCounters;
import org.softrdma.storage.rpc.RpcPrograms;

/**
 * READs or WRITEs of NFS version 3, some under way at a time, over RDMA or TCP: the same program and the same file behind both. WRITEs are
 * not committed, so that no call waits for a disk. {@code transport=rdma} or {@code tcp}, {@code op=read} or {@code write}.
 */
final class NfsCalls {
    /** Small enough for the page cache of any machine. */
    private static final int FILE_BYTES = 16 << 20;
    private static final int HEADERS = 8192;

    /** One end of a transport. */
    interface Transport extends AutoCloseable {
        /** Sends a call. */
        void send(int slot, long offset, int size) throws IOException;

        /** Waits for the reply to the call of a slot; calls are awaited in the order in which they were sent. */
        void await(int slot) throws IOException;

        @Override
        void close() throws IOException;
    }

    private final Settings settings;
    private final boolean tcp;
    private final boolean reads;
    private final int[] sizes;
    private final int calls;

    NfsCalls(Settings settings) {
        this.settings = settings;
        tcp = settings.text("transport", "rdma").equals("tcp");
        reads = settings.text("op", "read").equals("read");
        sizes = settings.numbers("sizes", "65536,1048576");
        calls = settings.number("calls", 4);
    }

    private int largest() {
        int largest = 0;
        for (int each : sizes) {
            largest = Math.max(largest, each);
        }
        return largest;
    }

    // ---- client ----

    void client(Control control) throws IOException {
        byte[] handle = new byte[control.in.readInt()];
        control.in.readFully(handle);
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), control.in.readInt());
        NfsMessages messages = new NfsMessages(handle, reads);
        try (Transport transport = tcp ? new NfsOverTcp(server, messages, largest())
                : new NfsOverRdma(server, messages, calls, largest())) {
            long warmNs = settings.seconds("firstWarm", 3);
            for (int size : sizes) {
                run(transport, size, warmNs, settings.seconds("seconds", 1));
                warmNs = settings.seconds("warm", 0.5);
            }
        }
        control.send(0);
    }

    private void run(Transport transport, int size, long warmNs, long measureNs) throws IOException {
        long sent = 0;
        long completed = 0;
        long warmUntilNs = System.nanoTime() + warmNs;
        boolean measuring = false;
        long startNs = 0;
        long startCpuNs = 0;
        long startCount = 0;
        while (true) {
            while (sent - completed < calls) {
                transport.send((int) (sent % calls), sent * size % FILE_BYTES, size);
                sent++;
            }
            transport.await((int) (completed % calls));
            completed++;
            long nowNs = System.nanoTime();
            if (!measuring && nowNs - warmUntilNs >= 0) {
                measuring = true;
                startNs = nowNs;
                startCpuNs = Report.cpuNs();
                startCount = completed;
            } else if (measuring && nowNs - startNs >= measureNs) {
                double seconds = (nowNs - startNs) / 1e9;
                Report.value("cores." + size, (Report.cpuNs() - startCpuNs) / 1e9 / seconds);
                Report.value("GBps." + size, (completed - startCount) * size / seconds / 1e9);
                break;
            }
        }
        while (completed < sent) {
            transport.await((int) (completed % calls));
            completed++;
        }
    }

    // ---- server ----

    void server(Control control) throws IOException {
        Path directory = Files.createTempDirectory("softrdma-nfs");
        Path file = directory.resolve("file");
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Export export = new Export(directory, false)) {
            Files.write(file, new byte[FILE_BYTES]);
            byte[] handle = handle(export, file);
            control.out.writeInt(handle.length);
            control.out.write(handle);
            if (tcp) {
                CallCounters counters = new CallCounters();
                RpcPrograms programs = new RpcPrograms(List.of(new Nfs3Program(export, Clock.systemUTC(), 1)), counters);
                try (TcpListener listener = new TcpListener(any, programs, counters, largest() + HEADERS)) {
                    serve(control, listener.port());
                }
            } else {
                try (NfsServer server = NfsServer.start(NfsOptions.of(directory).withMountPort(0).withAddresses(List.of(any)))) {
                    serve(control, server.addresses().getFirst().getPort());
                }
            }
        } finally {
            Files.deleteIfExists(file);
            Files.delete(directory);
        }
    }

    private static byte[] handle(Export export, Path file) throws IOException {
        try {
            return export.lookup(export.locate(export.rootHandle()), file.getFileName().toString()).handle().toBytes();
        } catch (NfsException refused) {
            throw new IOException(refused);
        }
    }

    private static void serve(Control control, int port) throws IOException {
        long startNs = System.nanoTime();
        long startCpuNs = Report.cpuNs();
        control.send(port);
        control.in.readInt();
        Report.value("peer.cores", (double) (Report.cpuNs() - startCpuNs) / (System.nanoTime() - startNs));
    }
}
