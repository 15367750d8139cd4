// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.interop.InteropCase.IpVersion;

/** A running {@code softrdma nfsd}, and its export in the guest, at /mnt. */
final class NfsMount implements AutoCloseable {
    static final Duration DEADLINE = Duration.ofSeconds(60);
    static final Duration LONG_DEADLINE = Duration.ofSeconds(500);
    private static final Duration START = Duration.ofSeconds(30);

    private final KernelLab lab;
    private final Path directory;
    private final Path export;
    private RunningCommand server;

    /** @param options further options of nfsd */
    NfsMount(KernelLab lab, String... options) throws IOException {
        this.lab = lab;
        directory = CaseDirectory.make(lab.directory().resolve("nfs"));
        export = Files.createDirectory(directory.resolve("export"));
        serve(options);
    }

    void serve(String... options) {
        List<String> command = new ArrayList<>(List.of("./softrdma", "nfsd", "--export", export.toString()));
        command.addAll(List.of(options));
        server = lab.tool(directory.resolve("server.txt"), command.toArray(String[]::new));
        server.awaitOutput("MOUNT at TCP port", START);
    }

    /** Ends the server with the signal of a terminal's Ctrl-C or of kill. */
    void endServer() {
        ((HostTool) server).terminate();
        server.awaitExit(DEADLINE);
    }

    /** The exported directory, on the host. */
    Path export() {
        return export;
    }

    /** @param version 3 or 4.1 */
    void mount(String version, IpVersion ip) {
        String six = ip == IpVersion.IPV4 ? "" : "6";
        String host = ip == IpVersion.IPV4 ? ip.host : "[" + ip.host + "]";
        boolean three = version.equals("3");
        // Without nfs-utils, whose helper adds the addresses.
        String addresses = ",addr=" + ip.host + (three ? ",mountaddr=" + ip.host + ",mountport=20048,mountproto=tcp" + six + ",nolock"
            : ",clientaddr=" + ip.guest);
        guest("modprobe -a rpcrdma " + (three ? "nfsv3" : "nfsv4") + "; mount -i -t nfs -o vers=" + version + ",proto=rdma" + six
            + ",port=20049" + addresses + " '" + host + ":/' /mnt");
        String mounted = guest("grep ' /mnt ' /proc/mounts");
        assertTrue(mounted.contains("vers=" + version) && mounted.contains("proto=rdma" + six), mounted);
    }

    void unmount() {
        guest("umount /mnt");
    }

    String guest(String script) {
        return guest(script, DEADLINE);
    }

    String guest(String script, Duration deadline) {
        return lab.guest().run(directory.resolve("client.txt"), deadline, "sh", "-ec", script).strip();
    }

    RunningCommand start(String name, String script) {
        return lab.guest().start(directory.resolve(name + ".txt"), List.of("sh", "-ec", script));
    }

    /** Makes the host's device lose packets. */
    void setFaults(String faults) {
        lab.tool(directory.resolve("faults.txt"), "./softrdma", "rdma", "link", "set", lab.device(), "fault", faults)
            .awaitSuccess(DEADLINE);
    }

    /**
     * Ends the mount, also if the server does not answer: it would hang the guest's later commands. The end of the server is written to its
     * output, in the directory that the next case empties.
     */
    @Override
    public void close() {
        lab.guest().start(directory.resolve("end.txt"), List.of("umount", "-f", "-l", "/mnt")).awaitExit(DEADLINE);
        server.close();
        server.awaitExit(DEADLINE);
    }
}
