// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** FLUSH and ATOMIC WRITE, which rdma_rxe supports since Linux 6.4, with a second guest of a later Debian. */
class LaterKernelTest {
    @RegisterExtension
    static final LabExtension LAB = new LabExtension(KernelLab.Suite.TRIXIE);

    @TestFactory
    Stream<DynamicNode> shouldWorkWithALaterLinuxKernel(KernelLab lab) {
        return new Matrix(lab, "later").tests(OperationCases.ofLaterKernel(lab));
    }
}
