// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** All cases against the Linux kernel. {@code -Dsoftrdma.case=REGEX} runs some of them. */
@ExtendWith(LabExtension.class)
class InteropMatrixTest {
    @TestFactory
    Stream<DynamicNode> shouldWorkWithTheLinuxKernel(KernelLab lab) {
        List<InteropCase> cases = new ArrayList<>(PingPongCases.all());
        cases.addAll(OperationCases.all(lab));
        return new Matrix(lab, "matrix").tests(cases);
    }
}
