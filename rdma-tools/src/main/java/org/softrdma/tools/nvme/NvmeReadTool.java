// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.nvme;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.softrdma.storage.nvme.NvmeOptions;
import org.softrdma.storage.nvme.host.NvmeException;
import org.softrdma.storage.nvme.host.NvmeHost;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code softrdma nvme-read}: copies a disk that a target serves into a file. */
@Command(name = "nvme-read", sortOptions = false,
    description = "Connects to a subsystem by NVMe over Fabrics with RDMA, prints what it is, and copies its first namespace, or the "
        + "beginning of it, into a file. The target may be softrdma nvmet or any other.%n%n"
        + "SOFTRDMA_CM_DEVICES chooses devices, as for rping.")
public final class NvmeReadTool extends AnnotatedTool {
    private static final String NAME = "softrdma nvme-read: ";
    private static final int MAX_PORT = 65535;

    @Parameters(paramLabel = "HOST", description = "name or address of the target")
    private String host;

    @Option(names = "--nqn", paramLabel = "NQN", required = true, description = "name of the subsystem")
    private String nqn;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", description = "port (default: ${DEFAULT-VALUE})")
    private int port = NvmeOptions.PORT;

    @Option(names = "--output", paramLabel = "FILE", description = "copy into this file; without it, nothing is read")
    private Path output;

    @Option(names = "--bytes", paramLabel = "N", description = "copy so many bytes, whole blocks (default: all)")
    private long bytes;

    @Override
    protected void check() {
        if (port < 0 || port > MAX_PORT) {
            throw new Misused("ports are 0..65535");
        }
        if (bytes < 0) {
            throw new Misused("--bytes is not negative");
        }
    }

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        try (NvmeHost target = NvmeHost.connect(new InetSocketAddress(InetAddress.getByName(host), port), nqn)) {
            console.println("nvme-read: " + target.model() + ", serial " + target.serial() + ", namespace " + target.namespace() + ": "
                + target.bytes() + " bytes in blocks of " + target.blockBytes());
            if (output != null) {
                console.println("nvme-read: " + copy(target) + " bytes copied to " + output);
            }
            return 0;
        } catch (UnknownHostException unknown) {
            throw new ToolFailure(NAME + "unknown host " + host);
        } catch (IllegalArgumentException | NvmeException | IOException failed) {
            throw new ToolFailure(NAME + failed.getMessage());
        }
    }

    private long copy(NvmeHost target) throws NvmeException, IOException {
        long length = bytes == 0 ? target.bytes() : bytes;
        try (FileChannel file = FileChannel.open(output, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
            while (file.position() < length) {
                file.write(target.read(file.position(), length - file.position()));
            }
        }
        return length;
    }
}
