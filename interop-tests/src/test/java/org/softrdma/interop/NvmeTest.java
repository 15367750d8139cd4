// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.softrdma.interop.InteropCase.IpVersion;

/**
 * The Linux kernel's NVMe host, over its rxe, on {@code softrdma nvmet}. The guest compares what it reads, after its caches were dropped,
 * with what it has written; this test compares the file of the disk.
 */
@ExtendWith(LabExtension.class)
class NvmeTest {
    private static final String NQN = "nqn.2026-11.org.softrdma:kernel";

    private final KernelLab lab;
    private NvmeDisk disk;

    NvmeTest(KernelLab lab) {
        this.lab = lab;
    }

    @AfterEach
    void end() {
        if (disk != null) {
            disk.close();
        }
    }

    @Test
    void shouldServeADiskToTheLinuxKernel() throws Exception {
        disk = new NvmeDisk(lab, 16);
        disk.connect(IpVersion.IPV4);
        assertEquals("3", disk.guest("cat /sys/class/nvme/nvme0/queue_count"), "the admin queue and two of I/O");
        disk.guest("mkfs.ext4 -q " + NvmeDisk.DEVICE + "; mount " + NvmeDisk.DEVICE + " /mnt; "
            + "dd if=/dev/urandom of=/tmp/large bs=1M count=3 2>/dev/null; cp /tmp/large /mnt/large; cp -r /etc/security /mnt/tree; "
            + "umount /mnt; echo 3 >/proc/sys/vm/drop_caches; fsck.ext4 -f -n " + NvmeDisk.DEVICE + "; mount -o ro " + NvmeDisk.DEVICE
            + " /mnt; cmp /tmp/large /mnt/large; diff -r /etc/security /mnt/tree; umount /mnt; rm /tmp/large");
        String digest = disk.guest("sha256sum <" + NvmeDisk.DEVICE).split(" ")[0];
        disk.disconnect();
        assertEquals(digest, disk.sha256());
        disk.terminate();
    }

    /** The other way round: {@code softrdma nvme-read} on the kernel's target. */
    @Test
    void shouldReadTheKernelsDisk() throws Exception {
        Path directory = CaseRun.emptyDirectory(lab, "nvme-read");
        Path copy = directory.resolve("copy.img");
        String digest = guest(directory, "modprobe -a nvmet-rdma; grep -q ' /sys/kernel/config ' /proc/mounts || "
            + "mount -t configfs none /sys/kernel/config; dd if=/dev/urandom of=/tmp/disk bs=1M count=3 2>/dev/null; "
            + "cd /sys/kernel/config/nvmet; mkdir -p subsystems/" + NQN + "/namespaces/5 ports/1; cd subsystems/" + NQN + "; "
            + "echo 1 >attr_allow_any_host; cd namespaces/5; echo /tmp/disk >device_path; echo 1 >buffered_io; echo 1 >enable; "
            + "cd /sys/kernel/config/nvmet/ports/1; echo rdma >addr_trtype; echo ipv4 >addr_adrfam; echo 10.77.0.2 >addr_traddr; "
            + "echo 4420 >addr_trsvcid; ln -s ../../subsystems/" + NQN + " subsystems/" + NQN + "; sha256sum </tmp/disk").split(" ")[0];
        try {
            String output = lab.tool(directory.resolve("read.txt"), "./softrdma", "nvme-read", "--nqn", NQN, "--output", copy.toString(),
                "10.77.0.2").awaitSuccess(NvmeDisk.DEADLINE);
            assertTrue(output.contains("namespace 5: 3145728 bytes"), output);
            assertEquals(digest, NvmeDisk.sha256(copy));
            try (RunningCommand other = lab.tool(directory.resolve("refused.txt"), "./softrdma", "nvme-read", "--nqn", NQN + "2",
                "10.77.0.2")) {
                assertEquals(1, other.awaitExit(NvmeDisk.DEADLINE));
                assertTrue(other.output().contains("connect of queue 0 failed with status 0x182"), other::output);
            }
        } finally {
            guest(directory, "cd /sys/kernel/config/nvmet; rm ports/1/subsystems/" + NQN + "; rmdir ports/1; echo 0 >subsystems/" + NQN
                + "/namespaces/5/enable; rmdir subsystems/" + NQN + "/namespaces/5 subsystems/" + NQN + "; rm /tmp/disk");
        }
    }

    private String guest(Path directory, String script) {
        return lab.guest().run(directory.resolve("target.txt"), NvmeDisk.DEADLINE, "sh", "-ec", script);
    }

    @Test
    @Tag("soak")
    void shouldGoOnAfterTheTargetWasKilled() throws Exception {
        disk = new NvmeDisk(lab, 64);
        disk.goOnAfterKill(IpVersion.IPV6);
    }

    @Test
    @Tag("soak")
    void shouldKeepAllDataOfFio() throws Exception {
        disk = new NvmeDisk(lab, 64);
        disk.verifyWithFio(120);
    }
}
