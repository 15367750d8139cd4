// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

/** Result of a case. */
enum Outcome {
    PASSED, FAILED,
    /** One of the two implementations lacks the feature, which is known and documented. */
    UNSUPPORTED
}
