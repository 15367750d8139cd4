// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import org.softrdma.verbs.Errno;

/** A program that could not be started, as execve(2) says. */
public final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;

    StartFailure(Errno errno, Throwable cause) {
        super(errno.text(), cause);
        this.errno = errno;
    }

    /** The reason. */
    public Errno errno() {
        return errno;
    }
}
