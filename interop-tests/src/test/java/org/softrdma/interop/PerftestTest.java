// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** Our {@code ib_*} programs with those of perftest, on the kernel's device. {@code -Dsoftrdma.case=REGEX} runs some of the cases. */
@ExtendWith(LabExtension.class)
class PerftestTest {
    @TestFactory
    Stream<DynamicNode> shouldMeasureWithPerftest(KernelLab lab) {
        return new Matrix(lab, "perftest").tests(PerftestCases.all());
    }
}
