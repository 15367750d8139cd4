// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.nvme;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.softrdma.storage.NfsOptions;
import org.softrdma.storage.nvme.NvmeOptions;
import org.softrdma.storage.nvme.NvmeTarget;
import org.softrdma.storage.nvme.store.BlockStore;
import org.softrdma.storage.nvme.store.FileStore;
import org.softrdma.storage.nvme.store.MemoryStore;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Service;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code softrdma nvmet}: serves files as disks, by NVMe over Fabrics. */
@Command(name = "nvmet", sortOptions = false,
    description = "Serves files, or memory, as disks by NVMe over Fabrics with RDMA, to Linux's own host, for tests and teaching. Every "
        + "host may read and write them; there is no protection.%n%n"
        + "modprobe nvme-rdma; echo transport=rdma,traddr=ADDRESS,trsvcid=4420,nqn=NQN >/dev/nvme-fabrics%n%n"
        + "SOFTRDMA_CM_DEVICES chooses devices, as for rping. Ctrl-C ends it.")
public final class NvmeTool extends AnnotatedTool {
    private static final String NAME = "softrdma nvmet: ";
    private static final int MAX_PORT = 65535;
    private static final int MEBIBYTE = 1 << 20;
    /** End of a value of --file that makes its namespace read-only. */
    private static final String READ_ONLY = ":ro";

    @Option(names = "--file", paramLabel = "FILE[:ro]", description = "content of a namespace, whose size is that of the file; with :ro it "
        + "is read-only. May be repeated: the namespaces have the numbers 1, 2 and so on, and are /dev/nvme0n1, /dev/nvme0n2")
    private List<String> files = List.of();

    @Option(names = "--memory", paramLabel = "MIB", description = "a disk of so many mebibytes in memory, instead of --file")
    private int memoryMib;

    @Option(names = "--nqn", paramLabel = "NQN", required = true, description = "name of the subsystem: nqn.YEAR-MONTH.DOMAIN:NAME")
    private String nqn;

    @Option(names = "--read-only", description = "refuse all writes, as :ro at each file")
    private boolean readOnly;

    @Option(names = "--block", paramLabel = "BYTES", description = "size of a block, 512 or 4096 (default: ${DEFAULT-VALUE})")
    private int blockBytes = 512;

    @Option(names = "--queues", paramLabel = "N", description = "I/O queues of a host at most (default: ${DEFAULT-VALUE})")
    private int ioQueues = 8;

    @Option(names = {"-a", "--address"}, paramLabel = "ADDRESS",
        description = "listen at this address; may be repeated (default: all, IPv4 and IPv6)")
    private List<String> addresses = List.of();

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", description = "port (default: ${DEFAULT-VALUE})")
    private int port = NvmeOptions.PORT;

    @Option(names = {"-d", "--debug"}, description = "print a line for each command: its name, main arguments, status, bytes of data")
    private boolean debug;

    @Override
    protected void check() {
        if (port < 0 || port > MAX_PORT) {
            throw new Misused("ports are 0..65535");
        }
        if (files.isEmpty() == (memoryMib == 0) || memoryMib < 0) {
            throw new Misused("one of --file and --memory is needed");
        }
        for (String each : files) {
            if (!Files.isRegularFile(path(each))) {
                throw new Misused("--file " + path(each) + " is no file");
            }
        }
        if (files.isEmpty() && readOnly) {
            throw new Misused("--read-only is for --file");
        }
        try {
            options(List.of());
        } catch (IllegalArgumentException refused) {
            throw new Misused(refused.getMessage());
        }
    }

    private NvmeOptions options(List<InetSocketAddress> at) {
        return NvmeOptions.of(nqn, at).withBlockBytes(blockBytes).withIoQueues(ioQueues);
    }

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        List<BlockStore> stores = open();
        try (NvmeTarget target = NvmeTarget.start(stores, options(listenAt()), debug ? line -> trace(console, line) : null)) {
            for (InetSocketAddress each : target.addresses()) {
                console.println("nvmet: " + nqn + ", " + sizes(stores) + " at " + each.getAddress().getHostAddress() + " port "
                    + each.getPort());
            }
            console.out().flush();
            Service.awaitEnd(target::close);
        } catch (IllegalArgumentException unfit) {
            stores.forEach(BlockStore::close);
            throw new ToolFailure(NAME + unfit.getMessage());
        } catch (VerbsException refused) {
            stores.forEach(BlockStore::close);
            throw new ToolFailure(NAME + "cannot listen", refused);
        }
        return 0;
    }

    private static void trace(Console console, String line) {
        // One write: queues work at once.
        console.print("nvmet: " + line + "\n");
        console.out().flush();
    }

    private static String sizes(List<BlockStore> stores) {
        return stores.stream().map(each -> each.bytes() + " bytes" + (each.isReadOnly() ? ", read-only" : ""))
            .collect(Collectors.joining("; "));
    }

    /** Path of a value of --file. */
    private static Path path(String file) {
        return Path.of(file.endsWith(READ_ONLY) ? file.substring(0, file.length() - READ_ONLY.length()) : file);
    }

    private List<BlockStore> open() {
        if (files.isEmpty()) {
            return List.of(new MemoryStore((long) memoryMib * MEBIBYTE));
        }
        List<BlockStore> stores = new ArrayList<>();
        try {
            for (String each : files) {
                stores.add(new FileStore(path(each), readOnly || each.endsWith(READ_ONLY)));
            }
            return stores;
        } catch (IOException refused) {
            stores.forEach(BlockStore::close);
            throw new ToolFailure(NAME + refused.getMessage());
        }
    }

    private List<InetSocketAddress> listenAt() {
        return addresses.isEmpty() ? NfsOptions.anyAddress(port) : Service.addresses(NAME, addresses, port);
    }
}
