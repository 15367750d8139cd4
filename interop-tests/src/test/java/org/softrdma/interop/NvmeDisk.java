// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.softrdma.interop.InteropCase.IpVersion;

/** A disk that {@code softrdma nvmet} serves to the guest's kernel. */
final class NvmeDisk implements AutoCloseable {
    /** Block device in the guest. */
    static final String DEVICE = "/dev/nvme0n1";
    static final String SECOND_DEVICE = "/dev/nvme0n2";
    private static final String READ_ONLY_DEVICE = "/dev/nvme0n3";
    private static final int SECOND_BYTES = 2 << 20;
    private static final int READ_ONLY_BYTES = 1 << 20;
    static final Duration DEADLINE = Duration.ofSeconds(60);
    static final Duration LONG_DEADLINE = Duration.ofSeconds(300);

    private static final Duration START = Duration.ofSeconds(30);
    private static final String NQN = "nqn.2026-11.org.softrdma:disk";
    private static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";
    /** Get Log Page by the kernel's ioctl, NVME_IOCTL_ADMIN_CMD. Offsets: NVMe over Fabrics 1.1, figures 34 and 35. */
    private static final String READ_DISCOVERY_LOG = """
        import ctypes, fcntl, struct
        page = ctypes.create_string_buffer(4096)
        command = struct.pack("<BBHIIIQQIIIIIIIIII", 2, 0, 0, 0, 0, 0, 0, ctypes.addressof(page), 0, 4096, 0x3ff0070, 0, 0, 0, 0, 0, 0, 0)
        assert fcntl.ioctl(open("/dev/nvme0"), 0xc0484e41, command)
        text = lambda at, length: page.raw[at:at + length].rstrip(b" \\0").decode()
        print("entries", struct.unpack_from("<Q", page, 8)[0], end="")
        print(": transport", page.raw[1024], "family", page.raw[1025], "kind", page.raw[1026], "port", text(1056, 32),
            "name", text(1280, 256), "address", text(1536, 256))
        """;
    private static final String CONTROLLER = "/sys/class/nvme/nvme0/";

    private final KernelLab lab;
    private final int mebibytes;
    private final Path directory;
    private final Path file;
    private final Path second;
    private final Path readOnly;
    private RunningCommand target;

    /** Makes empty disks, the first of the given size, and serves them. */
    NvmeDisk(KernelLab lab, int mebibytes) throws IOException {
        this.lab = lab;
        this.mebibytes = mebibytes;
        directory = CaseDirectory.make(lab.directory().resolve("nvme"));
        file = create("disk.img", (long) mebibytes << 20);
        second = create("second.img", SECOND_BYTES);
        readOnly = create("read-only.img", READ_ONLY_BYTES);
        serve();
    }

    private Path create(String name, long bytes) throws IOException {
        Path path = directory.resolve(name);
        try (RandomAccessFile disk = new RandomAccessFile(path.toFile(), "rw")) {
            disk.setLength(bytes);
        }
        return path;
    }

    void serve() {
        target = lab.tool(directory.resolve("target.txt"), "./softrdma", "nvmet", "--file", file.toString(), "--file", second.toString(),
            "--file", readOnly + ":ro", "--nqn", NQN);
        target.awaitOutput("port 4420", START);
    }

    /** Connects the guest. */
    void connect(IpVersion version) {
        guest("modprobe nvme-rdma; echo transport=rdma,traddr=" + version.host + ",trsvcid=4420,nqn=" + NQN
            + ",reconnect_delay=1,keep_alive_tmo=5 >/dev/nvme-fabrics; n=0; until test -b " + DEVICE + " -a -b " + READ_ONLY_DEVICE
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

    /** Ends the target with SIGKILL, and waits: its end is written to the directory, which the next case empties. */
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

    /** Reads, through a discovery controller, where the subsystem is. The target listens at any address; only the one in use is listed. */
    void discover(IpVersion version) {
        guest("modprobe nvme-rdma; echo transport=rdma,traddr=" + version.host + ",trsvcid=4420,nqn=" + DISCOVERY + " >/dev/nvme-fabrics");
        assertEquals("discovery", guest("cat " + CONTROLLER + "cntrltype"));
        assertEquals("1", guest("cat " + CONTROLLER + "queue_count"), "no I/O queue");
        String log = guest("python3 -c '" + READ_DISCOVERY_LOG + "'");
        String family = version == IpVersion.IPV4 ? "1" : "2";
        assertTrue(log.startsWith("entries 1: transport 1 family " + family + " kind 2 port 4420 name " + NQN + " address "), log);
        String address = log.substring(log.lastIndexOf(' ') + 1);
        assertEquals(version.host, guest("python3 -c 'import ipaddress; print(ipaddress.ip_address(\"" + address + "\"))'"));
        disconnect();
    }

    /** Writes the second namespace; the third cannot be written. */
    void useAllNamespaces() throws Exception {
        assertEquals((mebibytes << 11) + " 4096 2048", guest("cd /sys/block; echo $(cat nvme0n1/size nvme0n2/size nvme0n3/size)"),
            "sizes in sectors");
        assertEquals("0 0 1", guest("cd /sys/block; echo $(cat nvme0n1/ro nvme0n2/ro nvme0n3/ro)"));
        assertEquals("3", guest("cat /sys/block/nvme0n[123]/uuid | sort -u | wc -l"), "identities");
        String digest = guest("dd if=/dev/urandom of=/tmp/second bs=1M count=2 2>/dev/null; "
            + "dd if=/tmp/second of=" + SECOND_DEVICE + " bs=64k oflag=direct 2>/dev/null; echo 3 >/proc/sys/vm/drop_caches; "
            + "cmp /tmp/second " + SECOND_DEVICE + "; if dd if=/tmp/second of=" + READ_ONLY_DEVICE + " bs=4k count=1 oflag=direct "
            + "2>/dev/null; then exit 1; fi; sha256sum </tmp/second; rm /tmp/second").split(" ")[0];
        assertEquals(digest, sha256(second));
        assertEquals(-1, Arrays.mismatch(new byte[READ_ONLY_BYTES], Files.readAllBytes(readOnly)));
    }

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
        kill();
    }
}
