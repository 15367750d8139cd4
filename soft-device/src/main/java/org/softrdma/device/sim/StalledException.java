// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.sim;

/** Thrown when a simulation makes no progress. The message contains the seed, the time, and the deadlines of all devices. */
public class StalledException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    StalledException(String message) {
        super(message);
    }
}
