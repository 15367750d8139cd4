// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

/** Thrown in the test's thread when a thread that {@link Fabric#start} began has ended with an exception, which is the cause. */
public final class TaskFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TaskFailedException(String task, Throwable cause) {
        super("task " + task + " failed: " + cause, cause);
    }
}
