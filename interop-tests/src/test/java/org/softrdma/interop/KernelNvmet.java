// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;

/** The guest's own target, {@code nvmet-rdma}, with a disk of random bytes as namespace 5. */
final class KernelNvmet implements AutoCloseable {
    private static final String NQN = "nqn.2026-11.org.softrdma:kernel";
    private static final String ADDRESS = "10.77.0.2";

    private final KernelLab lab;
    private final Path directory;
    private final String digest;

    KernelNvmet(KernelLab lab) throws Exception {
        this.lab = lab;
        directory = CaseDirectory.make(lab.directory().resolve("nvme-read"));
        digest = guest("modprobe -a nvmet-rdma; grep -q ' /sys/kernel/config ' /proc/mounts || "
            + "mount -t configfs none /sys/kernel/config; dd if=/dev/urandom of=/tmp/disk bs=1M count=3 2>/dev/null; "
            + "cd /sys/kernel/config/nvmet; mkdir -p subsystems/" + NQN + "/namespaces/5 ports/1; cd subsystems/" + NQN + "; "
            + "echo 1 >attr_allow_any_host; cd namespaces/5; echo /tmp/disk >device_path; echo 1 >buffered_io; echo 1 >enable; "
            + "cd /sys/kernel/config/nvmet/ports/1; echo rdma >addr_trtype; echo ipv4 >addr_adrfam; echo " + ADDRESS
            + " >addr_traddr; echo 4420 >addr_trsvcid; ln -s ../../subsystems/" + NQN + " subsystems/" + NQN + "; sha256sum </tmp/disk")
            .split(" ")[0];
    }

    private String guest(String script) {
        return lab.guest().run(directory.resolve("target.txt"), NvmeDisk.DEADLINE, "sh", "-ec", script);
    }

    /** Copies its disk by {@code softrdma nvme-read}, and is refused under another name. */
    void read() throws Exception {
        Path copy = directory.resolve("copy.img");
        String output = lab.tool(directory.resolve("read.txt"), "./softrdma", "nvme-read", "--nqn", NQN, "--output", copy.toString(),
            ADDRESS).awaitSuccess(NvmeDisk.DEADLINE);
        assertTrue(output.contains("namespace 5: 3145728 bytes"), output);
        assertEquals(digest, NvmeDisk.sha256(copy));
        try (RunningCommand other = lab.tool(directory.resolve("refused.txt"), "./softrdma", "nvme-read", "--nqn", NQN + "2", ADDRESS)) {
            assertEquals(1, other.awaitExit(NvmeDisk.DEADLINE));
            assertTrue(other.output().contains("connect of queue 0 failed with status 0x182"), other::output);
        }
    }

    @Override
    public void close() {
        guest("cd /sys/kernel/config/nvmet; rm ports/1/subsystems/" + NQN + "; rmdir ports/1; echo 0 >subsystems/" + NQN
            + "/namespaces/5/enable; rmdir subsystems/" + NQN + "/namespaces/5 subsystems/" + NQN + "; rm /tmp/disk");
    }
}
