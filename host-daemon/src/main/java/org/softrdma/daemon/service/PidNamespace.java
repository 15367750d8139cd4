// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** PID namespace of this process: numbers of processes are valid in one namespace only. */
final class PidNamespace {
    private PidNamespace() {
    }

    /** The text of the namespace's link, {@code pid:[4026531836]}; empty if it is not known. */
    static String ofThisProcess() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        } catch (IOException hidden) {
            return "";
        }
    }
}
