// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.nio.file.Path;
import org.softrdma.host.config.NetworkNamespace;

/**
 * Files of the daemon in the user's state directory. There is one daemon for each network namespace: devices belong to interfaces.
 *
 * @param state the state directory
 */
public record DaemonFiles(Path state) {
    private Path of(String suffix) {
        return state.toAbsolutePath().resolve("daemon-" + NetworkNamespace.ofThisProcess() + suffix);
    }

    /** Socket that the daemon listens on. */
    public Path socket() {
        return of(".sock");
    }

    /** File that a running daemon holds a lock on. */
    public Path lock() {
        return of(".lock");
    }

    /** The daemon's messages. */
    public Path log() {
        return of(".log");
    }
}
