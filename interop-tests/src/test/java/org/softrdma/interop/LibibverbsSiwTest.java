// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The provider on the system's libibverbs and libsiw, in a JVM that runs on an iWARP device of ours as C programs do. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LibibverbsSiwTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv");

    private static final int MTU = 1500;

    private VethPair wire;

    @BeforeAll
    void addDevices() throws IOException {
        wire = new VethPair("libsiw", MTU);
        wire.addDevicesOf("siw");
    }

    @AfterAll
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    @Test
    void shouldKeepTheContract() {
        LibibverbsTest.keepTheContract(wire.a, ContractAdapter.SOFTRDMA_SIW);
    }
}
