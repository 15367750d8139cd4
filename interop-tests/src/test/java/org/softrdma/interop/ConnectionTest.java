// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections by address, with the Linux kernel's connection manager. {@code -Dsoftrdma.case=REGEX} runs some of the cases. */
@ExtendWith(LabExtension.class)
class ConnectionTest {
    @TestFactory
    Stream<DynamicNode> shouldConnectWithTheLinuxKernel(KernelLab lab) {
        return new Matrix(lab, "connections").tests(ConnectionCases.all());
    }
}
