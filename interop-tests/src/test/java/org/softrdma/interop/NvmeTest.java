// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
        disk.discover(IpVersion.IPV4);
        disk.discover(IpVersion.IPV6);
        disk.connect(IpVersion.IPV4);
        assertEquals("3", disk.guest("cat /sys/class/nvme/nvme0/queue_count"), "the admin queue and two of I/O");
        disk.guest("mkfs.ext4 -q " + NvmeDisk.DEVICE + "; mount " + NvmeDisk.DEVICE + " /mnt; "
            + "dd if=/dev/urandom of=/tmp/large bs=1M count=3 2>/dev/null; cp /tmp/large /mnt/large; cp -r /etc/security /mnt/tree; "
            + "umount /mnt; echo 3 >/proc/sys/vm/drop_caches; fsck.ext4 -f -n " + NvmeDisk.DEVICE + "; mount -o ro " + NvmeDisk.DEVICE
            + " /mnt; cmp /tmp/large /mnt/large; diff -r /etc/security /mnt/tree; umount /mnt; rm /tmp/large");
        disk.useAllNamespaces();
        String digest = disk.guest("sha256sum <" + NvmeDisk.DEVICE).split(" ")[0];
        disk.disconnect();
        assertEquals(digest, disk.sha256());
        disk.terminate();
    }

    /** The other way round: {@code softrdma nvme-read} on the kernel's target. */
    @Test
    void shouldReadTheKernelsDisk() throws Exception {
        try (KernelNvmet target = new KernelNvmet(lab)) {
            target.read();
        }
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
