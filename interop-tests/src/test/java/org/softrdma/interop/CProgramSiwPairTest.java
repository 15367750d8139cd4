// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

/** Unmodified C programs over iWARP. {@code -Dsoftrdma.case=REGEX} runs some of the cases. */
class CProgramSiwPairTest extends CProgramPairs {
    CProgramSiwPairTest() {
        super("siw");
    }
}
