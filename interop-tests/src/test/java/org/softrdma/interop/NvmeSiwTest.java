// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.softrdma.interop.InteropCase.IpVersion;

/** The Linux kernel's NVMe host, over its siw, on {@code softrdma nvmet}. */
@Tag("soak")
class NvmeSiwTest {
    @RegisterExtension
    static final LabExtension LAB = new LabExtension(KernelLab.Suite.SIW);

    private final KernelLab lab;
    private NvmeDisk disk;

    NvmeSiwTest(KernelLab lab) {
        this.lab = lab;
    }

    @BeforeEach
    void start() throws IOException {
        disk = new NvmeDisk(lab, 64);
    }

    @AfterEach
    void end() {
        if (disk != null) {
            disk.close();
        }
    }

    @Test
    void shouldGoOnAfterTheTargetWasKilled() {
        disk.goOnAfterKill(IpVersion.IPV4);
    }

    /** The other way round: {@code softrdma nvme-read} on the kernel's target. */
    @Test
    void shouldReadTheKernelsDisk() throws Exception {
        // It has the guest's port for itself, and the host's device.
        disk.terminate();
        try (KernelNvmet target = new KernelNvmet(lab)) {
            target.read();
        }
    }

    @Test
    void shouldKeepAllDataOfFio() {
        disk.verifyWithFio(30);
    }
}
