// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

/** How a case ended. */
enum Outcome {
    PASSED, FAILED,
    /** One of the two cannot do it; that is known and documented. */
    UNSUPPORTED
}
