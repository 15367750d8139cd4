// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Network namespace of this process (Linux): interface names in files are valid in one namespace only. */
public final class NetworkNamespace {
    private static final Path LINK = Path.of("/proc/self/ns/net");

    private NetworkNamespace() {
    }

    /** The namespace's number, from {@code net:[4026531840]}; {@code host} on systems without namespaces. */
    public static String ofThisProcess() {
        try {
            return Files.readSymbolicLink(LINK).toString().replaceAll("[^0-9]", "");
        } catch (IOException | UnsupportedOperationException none) {
            return "host";
        }
    }
}
