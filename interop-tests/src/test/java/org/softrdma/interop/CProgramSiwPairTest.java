// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import org.junit.jupiter.api.Tag;

/**
 * Unmodified C programs over iWARP, in the profile {@code soak}: {@link SiwTest} has C programs with the kernel's siw in every run. {@code
 * -Dsoftrdma.case=REGEX} runs some of the cases.
 */
@Tag("soak")
class CProgramSiwPairTest extends CProgramPairs {
    CProgramSiwPairTest() {
        super("siw");
    }
}
