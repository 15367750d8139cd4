// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.app.NfsdApp;

/** The nfsd of the guest's kernel, and our client of RPC-over-RDMA on it. Answers to wrong messages: as nfsd 6.1 was seen to give them. */
final class KernelNfsd implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int PORT = 20049;

    /** ERR_CHUNK, RFC 8166, section 4.5. */
    private static final String CHUNK_ERROR = "1 4 2";
    private static final List<String> ANSWERS = List.of(
        "version 2: 2 4 1 1 1",
        "MSGP: " + CHUNK_ERROR,
        "type 5: " + CHUNK_ERROR,
        "DONE: none",
        "ERROR: none",
        "write chunk without segments: " + CHUNK_ERROR,
        "read position 2: " + CHUNK_ERROR,
        "12 bytes: " + CHUNK_ERROR,
        "call in a chunk: 1 0 0 0 0 xid 1 0 0 0 0",
        "reply chunk: 1 1 0 0 1 1 rkey 18 high low",
        "in the reply chunk: 1 0 0 0 0",
        "null: 0",
        "another program: 1",
        "getattr: 0 0 type 2",
        "lookup: 0 0",
        "read: 7 golden",
        "write: 0 0",
        "read again: 131072",
        "same: true",
        "stale handle: 70");

    /** An export whose number is 0, without the user space of nfs-utils: its caches are filled by hand. */
    private static final String START = "modprobe -a nfsd rpcrdma; ip link set lo up; python3 -u /lab/rpcbind.py >/tmp/rpcbind.txt 2>&1 & "
        + "until grep -q listening /tmp/rpcbind.txt; do sleep 0.1; done; mount -t nfsd nfsd /proc/fs/nfsd; "
        + "mkdir -p /tmp/served; mount -t tmpfs tmpfs /tmp/served; echo golden >/tmp/served/f; echo 2 >/proc/fs/nfsd/threads; "
        + "echo 'rdma " + PORT + "' >/proc/fs/nfsd/portlist; "
        + "echo 'nfsd " + IpVersion.IPV4.host + " 2147483647 client' >/proc/net/rpc/auth.unix.ip/channel; "
        + "printf '%s\\n' 'client 1 \\x00000000 2147483647 /tmp/served' >/proc/net/rpc/nfsd.fh/channel; "
        + "echo 'client /tmp/served 2147483647 9234 0 0 0' >/proc/net/rpc/nfsd.export/channel";
    private static final String END = "echo 0 >/proc/fs/nfsd/threads; for i in auth.unix.ip nfsd.fh nfsd.export; do "
        + "date +%s >/proc/net/rpc/$i/flush; done; umount /tmp/served /proc/fs/nfsd";

    private final KernelLab lab;
    private final Path directory;

    KernelNfsd(KernelLab lab) throws IOException {
        this.lab = lab;
        directory = CaseDirectory.make(lab.directory().resolve("nfsd"));
        lab.share("/guest/rpcbind.py");
        guest(START);
    }

    private void guest(String script) {
        lab.guest().run(directory.resolve("server.txt"), DEADLINE, "sh", "-ec", script);
    }

    void checkAnswers() {
        try (RunningCommand app = VerbsPeer.application(lab, directory.resolve("client.txt"), NfsdApp.class, IpVersion.IPV4.guest,
                Integer.toString(PORT))) {
            // Netty's logging prints lines of its own.
            assertEquals(ANSWERS, app.awaitSuccess(DEADLINE).lines().filter(line -> !line.startsWith("SLF4J")).toList());
        }
    }

    @Override
    public void close() {
        guest(END);
    }
}
