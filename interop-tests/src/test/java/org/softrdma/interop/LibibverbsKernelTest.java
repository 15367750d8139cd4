// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.softrdma.verbs.Transport;

/** The provider on the system's libibverbs in the lab's guest, on the rxe of Linux 6.1. */
@ExtendWith(LabExtension.class)
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class LibibverbsKernelTest {
    private static AdapterRun run;

    @BeforeAll
    static void mount(KernelLab lab) throws IOException {
        run = new AdapterRun(lab);
    }

    /** Compares with what {@link LibibverbsTest} compares our devices with. */
    @Test
    void shouldPrintOnTheKernelsDeviceWhatItPrintsOnOurs() throws IOException {
        run.runOneProgram(Transport.INFINIBAND);
    }

    @Test
    void shouldKeepTheContract() {
        run.keepTheContract(ContractAdapter.RXE_6_1);
    }

    @Test
    void shouldPing() {
        run.runBothRoles("rping", "-s", "-c", "-p", "-a", "-C", "10", "-S", "65000", "-V");
    }

    @Test
    void shouldPingPong() {
        run.runBothRoles("ibv_rc_pingpong", "", "", "-p", "", "-c", "-n", "50", "-d", "rxe0", "-g", "1");
    }

    @Test
    void shouldMeasureBandwidth() {
        run.runBothRoles("ib_write_bw", "", "", "-p", "", "-n", "100", "-s", "65536", "-d", "rxe0", "-x", "1");
    }
}
