// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.nfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.softrdma.storage.NfsOptions;
import org.softrdma.storage.NfsServer;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Service;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code softrdma nfsd}: serves a directory by NFS over RDMA. */
@Command(name = "nfsd", sortOptions = false,
    description = "Serves a directory by NFS versions 3 and 4.1 over RDMA, to Linux's own client, for tests and teaching. Every client may "
        + "do what the user may who runs it; there is no other protection.%n%n"
        + "mount -t nfs -o vers=4.1,proto=rdma,port=20049 HOST:/ /mnt%n"
        + "mount -t nfs -o vers=3,proto=rdma,port=20049,mountproto=tcp,mountport=20048,nolock HOST:/ /mnt%n%n"
        + "SOFTRDMA_CM_DEVICES chooses devices, as for rping. Ctrl-C ends it.")
public final class NfsTool extends AnnotatedTool {
    private static final String NAME = "softrdma nfsd: ";
    private static final int MAX_PORT = 65535;
    private static final int MAX_GRACE_SECONDS = 3600;

    @Option(names = "--export", paramLabel = "DIR", required = true, description = "the directory, which clients mount as /")
    private Path directory;

    @Option(names = "--read-only", description = "refuse all changes")
    private boolean readOnly;

    @Option(names = {"-a", "--address"}, paramLabel = "ADDRESS",
        description = "listen for RDMA connections at this address; may be repeated (default: all, IPv4 and IPv6)")
    private List<String> addresses = List.of();

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", description = "port of RDMA connections (default: ${DEFAULT-VALUE})")
    private int port = NfsOptions.PORT;

    @Option(names = "--mount-port", paramLabel = "PORT", description = "TCP port of the MOUNT protocol (default: ${DEFAULT-VALUE})")
    private int mountPort = NfsOptions.MOUNT_PORT;

    @Option(names = "--grace", paramLabel = "SECONDS", description = "how long after the start clients of version 4.1 may claim what they "
        + "had locked before a restart, and nobody else may lock (default: ${DEFAULT-VALUE})")
    private int graceSeconds = NfsOptions.GRACE_SECONDS;

    @Option(names = {"-d", "--debug"}, description = "print a line for each call: procedure or operations, main arguments, status, bytes")
    private boolean debug;

    @Override
    protected void check() {
        if (port < 0 || port > MAX_PORT || mountPort < 0 || mountPort > MAX_PORT) {
            throw new Misused("ports are 0..65535");
        }
        if (graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS) {
            throw new Misused("--grace is 0.." + MAX_GRACE_SECONDS);
        }
        if (!Files.isDirectory(directory)) {
            throw new Misused("--export " + directory + " is no directory");
        }
    }

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        NfsOptions options = NfsOptions.of(directory).withReadOnly(readOnly).withAddresses(listenAt()).withMountPort(mountPort)
            .withGraceSeconds(graceSeconds);
        try (NfsServer server = debug ? NfsServer.start(options, line -> trace(console, line)) : NfsServer.start(options)) {
            for (InetSocketAddress each : server.addresses()) {
                console.println("nfsd: " + directory + (readOnly ? ", read-only," : "") + " at " + each.getAddress().getHostAddress()
                    + " port " + each.getPort() + ", MOUNT at TCP port " + server.mountPort());
            }
            console.out().flush();
            Service.awaitEnd(server::close);
        } catch (IOException refused) {
            throw new ToolFailure(NAME + refused.getMessage());
        } catch (VerbsException refused) {
            throw new ToolFailure(NAME + "cannot listen", refused);
        }
        return 0;
    }

    private static void trace(Console console, String line) {
        // One write: calls are served at once.
        console.print("nfsd: " + line + "\n");
        console.out().flush();
    }

    private List<InetSocketAddress> listenAt() {
        return addresses.isEmpty() ? NfsOptions.anyAddress(port) : Service.addresses(NAME, addresses, port);
    }
}
