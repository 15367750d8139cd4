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

/** The provider on the system's libibverbs in a guest of the lab, on the rxe of Linux 6.12, with a later libibverbs. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class LibibverbsLaterKernelTest {
    @RegisterExtension
    static final LabExtension LAB = new LabExtension(KernelLab.Suite.TRIXIE);

    private static AdapterRun run;

    @BeforeAll
    static void mount(KernelLab lab) throws IOException {
        run = new AdapterRun(lab);
    }

    @Test
    void shouldPrintWhatItPrintsOnOtherDevices() throws IOException {
        run.runOneProgram(Transport.INFINIBAND);
    }

    @Test
    @Tag("soak")
    void shouldKeepTheContract() {
        run.keepTheContract(ContractAdapter.RXE_6_12);
    }
}
