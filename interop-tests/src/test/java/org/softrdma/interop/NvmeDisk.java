// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.softrdma.interop.InteropCase.IpVersion;

/** A disk that {@code softrdma nvmet} serves to the guest's kernel. */
final class NvmeDisk implements AutoCloseable {
    /** Block device in the guest. */
    static final String DEVICE = "/dev/nvme0n1";
    static final Duration DEADLINE = Duration.ofSeconds(60);
    static final Duration LONG_DEADLINE = Duration.ofSeconds(300);

    private static final Duration START = Duration.ofSeconds(30);
    private static final String NQN = "nqn.2026-11.org.softrdma:disk";
    private static final String CONTROLLER = "/sys/class/nvme/nvme0/";

    private final KernelLab lab;
    private final Path directory;
    private final Path file;
    private RunningCommand target;

    /** Makes an empty disk and serves it. */
    NvmeDisk(KernelLab lab, int mebibytes) throws IOException {
        this.lab = lab;
        directory = CaseRun.emptyDirectory(lab, "nvme");
        file = directory.resolve("disk.img");
        try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
            disk.setLength((long) mebibytes << 20);
        }
        serve();
    }

    void serve() {
        target = lab.tool(directory.resolve("target.txt"), "./softrdma", "nvmet", "--file", file.toString(), "--nqn", NQN);
        target.awaitOutput("port 4420", START);
    }

    /** Connects the guest. */
    void connect(IpVersion version) {
        guest("modprobe nvme-rdma; echo transport=rdma,traddr=" + version.host + ",trsvcid=4420,nqn=" + NQN
            + ",reconnect_delay=1,keep_alive_tmo=5 >/dev/nvme-fabrics; n=0; until test -b " + DEVICE
            + "; do n=$((n+1)); test $n -lt 100; sleep 0.1; done");
    }

    String guest(String script) {
        return guest(script, DEADLINE);
    }

    String guest(String script, Duration deadline) {
        return lab.guest().run(directory.resolve("host.txt"), deadline, "sh", "-ec", script).strip();
    }

    /** Disconnects the guest, which must be connected. */
    void disconnect() {
        guest("echo 1 >" + CONTROLLER + "delete_controller; test ! -e " + CONTROLLER);
    }

    /** Ends the target with the signal of a terminal's Ctrl-C or of kill. */
    void terminate() {
        ((HostTool) target).terminate();
        target.awaitExit(DEADLINE);
    }

    /** Ends the target with SIGKILL. */
    void kill() {
        target.close();
        target.awaitExit(DEADLINE);
    }

    String sha256() throws IOException, NoSuchAlgorithmException {
        return sha256(file);
    }

    static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    // ---- cases for any device ----

    /** Writes a file while the target is killed and started again; the host reconnects, and the data are right. */
    void goOnAfterKill(IpVersion version) {
        connect(version);
        guest("mkfs.ext4 -q " + DEVICE + "; mount " + DEVICE + " /mnt; dd if=/dev/urandom of=/tmp/large bs=1M count=8 2>/dev/null");
        try (RunningCommand writer = lab.guest().start(directory.resolve("writer.txt"), List.of("sh", "-ec",
            "for i in 1 2 3 4; do dd if=/tmp/large of=/mnt/large$i bs=1M conv=fsync 2>/dev/null; done"))) {
            guest("until test -s /mnt/large2; do sleep 0.1; done");
            kill();
            serve();
            writer.awaitSuccess(LONG_DEADLINE);
        }
        guest("umount /mnt; echo 3 >/proc/sys/vm/drop_caches; fsck.ext4 -f -n " + DEVICE + "; mount " + DEVICE + " /mnt; "
            + "for i in 1 2 3 4; do cmp /tmp/large /mnt/large$i; done; umount /mnt; rm /tmp/large", LONG_DEADLINE);
        disconnect();
    }

    /** Writes blocks of many sizes at random places for a while, and verifies them all. */
    void verifyWithFio(int seconds) {
        connect(IpVersion.IPV4);
        guest("fio --name=verify --filename=" + DEVICE + " --rw=randwrite --bsrange=512-512k --size=100% --verify=crc32c "
            + "--verify_backlog=64 --direct=1 --ioengine=libaio --iodepth=32 --time_based --runtime=" + seconds, LONG_DEADLINE);
        disconnect();
    }

    /** Leaves nothing behind that would hang the guest's later commands. */
    @Override
    public void close() {
        lab.guest().start(directory.resolve("end.txt"), List.of("sh", "-c", "test ! -e " + CONTROLLER + " || { umount -l /mnt; "
            + "echo 1 >" + CONTROLLER + "delete_controller; }")).awaitExit(DEADLINE);
        target.close();
    }
}
