// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.softrdma.contract.ContractFabric;
import org.softrdma.device.findings.Finding;
import org.softrdma.device.findings.Findings;
import org.softrdma.device.findings.StrictRule;

/** The contract of the API on strict iWARP devices: programs that keep it are not found wrong, and the others are where they mean to be. */
class StrictContractTest extends LoopbackContractTest {
    private static final String PROPERTY = "softrdma.strict";

    private static StrictLoopback strict;

    /** Contexts are strict that are opened while the property is set: those of the tests. */
    @BeforeAll
    static void startStrictDevices() {
        System.setProperty(PROPERTY, "on");
        strict = new StrictLoopback();
    }

    @AfterAll
    static void stopStrictDevices() {
        strict.stop();
        System.clearProperty(PROPERTY);
    }

    @Override
    protected ContractFabric openFabric() {
        Findings.clear();
        return strict;
    }

    private static final class StrictLoopback extends Loopback {
        /** Many tests register memory for nothing but the registration. */
        @Override
        public List<String> findings() {
            return Findings.all().stream().map(Finding::rule).filter(rule -> rule != StrictRule.MEMORY_UNUSED).map(Enum::name).distinct()
                .sorted().toList();
        }
    }
}
