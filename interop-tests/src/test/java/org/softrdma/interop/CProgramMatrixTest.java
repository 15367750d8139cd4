// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** Unmodified C programs on our device, with the Linux kernel as their peer. {@code -Dsoftrdma.case=REGEX} runs some of the cases. */
@ExtendWith(LabExtension.class)
class CProgramMatrixTest {
    @TestFactory
    Stream<DynamicNode> shouldRunCProgramsWithTheLinuxKernel(KernelLab lab) {
        return new Matrix(lab, "c-programs").tests(CPrograms.overRoce());
    }

    /** Frees the port of RoCE for the Java tools of other tests. */
    @AfterAll
    static void stopDaemon(KernelLab lab) {
        CPrograms.stopDaemon(lab);
    }
}
