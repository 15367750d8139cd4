// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.softrdma.verbs.Transport;

/** The provider on the system's libibverbs in a guest of the lab, on the siw of Linux 6.1. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class LibibverbsSiwKernelTest {
    @RegisterExtension
    static final LabExtension LAB = new LabExtension(KernelLab.Suite.SIW);

    private static AdapterRun run;

    @BeforeAll
    static void mount(KernelLab lab) throws IOException {
        run = new AdapterRun(lab);
    }

    @Test
    void shouldPrintWhatItPrintsOnOtherDevices() throws IOException {
        run.runOneProgram(Transport.IWARP);
    }

    @Test
    @Tag("soak")
    void shouldKeepTheContract() {
        run.keepTheContract(ContractAdapter.SIW_6_1);
    }

    @Test
    void shouldPing() {
        run.runBothRoles("rping", "-s", "-c", "-p", "-a", "-C", "10", "-S", "65000", "-V");
    }

    /** With addresses: a queue pair of siw has no other way to connect. */
    @Test
    void shouldMeasureBandwidth() {
        run.runBothRoles("ib_write_bw", "", "", "-p", "", "-R", "-n", "100", "-s", "65536", "-d", "siw0");
    }
}
