// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

/** Result of a case. */
enum Outcome {
    PASSED, FAILED,
    /** One of the two implementations lacks the feature, which is known and documented. */
    UNSUPPORTED,
    /** Not in this run: a rare case, which passed in the last long run. */
    LEFT_OUT
}
