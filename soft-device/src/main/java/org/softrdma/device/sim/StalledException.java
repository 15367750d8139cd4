// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.sim;

/** A simulation can make no progress; the message holds the seed and who waits for what. */
public class StalledException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    StalledException(String message) {
        super(message);
    }
}
