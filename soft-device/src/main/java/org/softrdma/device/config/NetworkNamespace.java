// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Linux gives groups of processes interfaces of their own; what is said about interfaces in files holds for one of these only. */
public final class NetworkNamespace {
    private static final Path LINK = Path.of("/proc/self/ns/net");

    private NetworkNamespace() {
    }

    /** The number of this process's, out of {@code net:[4026531840]}; {@code host} where there are none. */
    public static String ofThisProcess() {
        try {
            return Files.readSymbolicLink(LINK).toString().replaceAll("[^0-9]", "");
        } catch (IOException | UnsupportedOperationException none) {
            return "host";
        }
    }
}
