// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** ibping with the Linux kernel's management datagrams. {@code -Dsoftrdma.case=REGEX} runs some of the cases. */
@ExtendWith(LabExtension.class)
class IbPingTest {
    @TestFactory
    Stream<DynamicNode> shouldPingTheLinuxKernel(KernelLab lab) {
        return new Matrix(lab, "ibping").tests(IbPingCases.all());
    }
}
