// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.softrdma.interop.InteropCase.IpVersion;

/**
 * The Linux kernel's NFS client on {@code softrdma nfsd}. The client compares what it reads, after its caches were dropped, with what it
 * has written; this test compares what lies in the export.
 */
@ExtendWith(LabExtension.class)
class NfsTest {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration LONG_DEADLINE = Duration.ofSeconds(300);

    private final KernelLab lab;
    private Path directory;
    private Path export;
    private RunningCommand server;

    NfsTest(KernelLab lab) {
        this.lab = lab;
    }

    @BeforeEach
    void start() throws IOException {
        directory = CaseRun.emptyDirectory(lab, "nfs");
        export = Files.createDirectory(directory.resolve("export"));
        serve();
    }

    private void serve() {
        server = lab.tool(directory.resolve("server.txt"), "./softrdma", "nfsd", "--export", export.toString());
        server.awaitOutput("MOUNT at TCP port", START);
    }

    @AfterEach
    void end() {
        // A failed test must not leave a mount behind, which would hang the guest's later commands.
        lab.guest().start(directory.resolve("end.txt"), List.of("umount", "-f", "-l", "/mnt")).awaitExit(DEADLINE);
        server.close();
    }

    private void mount(IpVersion version) {
        String six = version == IpVersion.IPV4 ? "" : "6";
        String host = version == IpVersion.IPV4 ? version.host : "[" + version.host + "]";
        // Without nfs-utils, whose helper adds the addresses.
        guest("modprobe -a rpcrdma nfsv3; mount -i -t nfs -o vers=3,proto=rdma" + six + ",addr=" + version.host
            + ",port=20049,mountproto=tcp" + six + ",mountaddr=" + version.host + ",mountport=20048,nolock '" + host + ":/' /mnt");
    }

    private String guest(String script) {
        return guest(script, DEADLINE);
    }

    private String guest(String script, Duration deadline) {
        return lab.guest().run(directory.resolve("client.txt"), deadline, "sh", "-ec", script).strip();
    }

    private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    @Test
    void shouldServeTheLinuxKernel() throws Exception {
        mount(IpVersion.IPV4);
        assertTrue(guest("grep ' /mnt ' /proc/mounts").contains("proto=rdma"));
        copyAndCompare();
        changeNames();
        guest("umount /mnt");
        // The server ends with the signal of a terminal's Ctrl-C or of kill.
        ((HostTool) server).terminate();
        server.awaitExit(DEADLINE);
    }

    private void copyAndCompare() throws Exception {
        String digest = guest("dd if=/dev/urandom of=/tmp/large bs=1M count=16 2>/dev/null; "
            + "dd if=/tmp/large of=/mnt/large bs=1M conv=fsync 2>/dev/null; sha256sum </tmp/large").split(" ")[0];
        assertEquals(digest, sha256(export.resolve("large")));
        guest("echo 3 >/proc/sys/vm/drop_caches; cmp /tmp/large /mnt/large");
        guest("cp -r /etc/security /mnt/tree; cp -r /mnt/tree /tmp/tree; diff -r /etc/security /tmp/tree; rm -r /tmp/tree");
        assertEquals(guest("find /etc/security -type f | wc -l"), String.valueOf(count(export.resolve("tree"))));
        guest("rm -r /mnt/tree /mnt/large /tmp/large");
        assertFalse(Files.exists(export.resolve("tree")));
    }

    private static long count(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(Files::isRegularFile).count();
        }
    }

    private void changeNames() throws IOException {
        guest("mkdir /mnt/many; touch /mnt/many/first");
        for (int i = 0; i < 400; i++) {
            Files.createFile(export.resolve("many/" + i));
        }
        guest("test $(ls /mnt/many | wc -l) = 401");
        for (int i = 0; i < 400; i++) {
            Files.delete(export.resolve("many/" + i));
        }
        guest("mv /mnt/many/* /mnt/many/one; mv /mnt/many /mnt/few; test \"$(ls /mnt/few)\" = one");
        assertTrue(Files.exists(export.resolve("few/one")));
        guest("echo text >/mnt/few/one; ln -s one /mnt/few/link; test \"$(cat /mnt/few/link)\" = text; ln /mnt/few/one /mnt/few/two; "
            + "rm /mnt/few/one; test \"$(cat /mnt/few/two)\" = text; chmod 640 /mnt/few/two; truncate -s 2 /mnt/few/two");
        assertEquals("one", Files.readSymbolicLink(export.resolve("few/link")).toString());
        assertEquals("te", Files.readString(export.resolve("few/two")));
        assertEquals(0640, (int) Files.getAttribute(export.resolve("few/two"), "unix:mode") & 07777);
        // The kernel resolves a dangling link by itself, and a name that is taken is refused by the server.
        guest("! cat /mnt/few/link 2>/dev/null; ! mkdir /mnt/few 2>/dev/null; ! rmdir /mnt/few 2>/dev/null");
    }

    @Test
    @Tag("soak")
    void shouldGoOnAcrossARestartOfTheServer() throws Exception {
        mount(IpVersion.IPV6);
        guest("dd if=/dev/urandom of=/tmp/large bs=1M count=32 2>/dev/null");
        try (RunningCommand writer = lab.guest().start(directory.resolve("writer.txt"), List.of("sh", "-ec",
            "for i in 1 2 3 4; do dd if=/tmp/large of=/mnt/large$i bs=1M conv=fsync 2>/dev/null; done"))) {
            guest("until test -s /mnt/large2; do sleep 0.1; done");
            ((HostTool) server).terminate();
            server.awaitExit(DEADLINE);
            serve();
            writer.awaitSuccess(LONG_DEADLINE);
        }
        guest("echo 3 >/proc/sys/vm/drop_caches; for i in 1 2 3 4; do cmp /tmp/large /mnt/large$i; done; rm /tmp/large; umount /mnt",
            LONG_DEADLINE);
    }

    @Test
    @Tag("soak")
    void shouldCreateAndRemoveTwoThousandFiles() throws Exception {
        mount(IpVersion.IPV4);
        guest("mkdir /mnt/d; cd /mnt/d; for i in $(seq 2000); do echo $i >$i; done; echo 3 >/proc/sys/vm/drop_caches; "
            + "test $(ls | wc -l) = 2000; for i in $(seq 2000); do test $(cat $i) = $i; done", LONG_DEADLINE);
        assertEquals(2000, count(export));
        guest("rm -r /mnt/d; umount /mnt", LONG_DEADLINE);
    }
}
