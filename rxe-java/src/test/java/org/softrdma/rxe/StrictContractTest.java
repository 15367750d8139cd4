// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.List;
import org.softrdma.contract.ContractFabric;
import org.softrdma.device.findings.Finding;
import org.softrdma.device.findings.Findings;
import org.softrdma.device.findings.StrictRule;

/** The contract of the API on strict devices: programs that keep it are not found wrong, and the others are where they mean to be. */
class StrictContractTest extends SimulatedContractTest {
    @Override
    protected ContractFabric openFabric() {
        Findings.clear();
        return new Network(RxeOptions.DEFAULT.withStrict(true)) {
            /** Many tests register memory for nothing but the registration. */
            @Override
            public List<String> findings() {
                return Findings.all().stream().map(Finding::rule).filter(rule -> rule != StrictRule.MEMORY_UNUSED).map(Enum::name)
                    .distinct().sorted().toList();
            }
        };
    }
}
