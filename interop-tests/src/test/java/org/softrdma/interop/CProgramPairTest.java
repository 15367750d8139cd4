// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

/** Unmodified C programs over RoCE. {@code -Dsoftrdma.case=REGEX} runs some of the cases. */
class CProgramPairTest extends CProgramPairs {
    CProgramPairTest() {
        super("rxe");
    }
}
