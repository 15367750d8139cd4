// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** qperf, with the original on the Linux kernel. {@code -Dsoftrdma.case=REGEX} runs some of the cases. */
@ExtendWith(LabExtension.class)
class QPerfTest {
    @TestFactory
    Stream<DynamicNode> shouldMeasureWithTheOriginal(KernelLab lab) {
        return new Matrix(lab, "qperf").tests(QPerfCases.all());
    }
}
