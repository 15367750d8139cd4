// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Condition of tests that need a C compiler and the headers of the kernel and of rdma-core. */
final class CHeadersExtension extends RequirementExtension {
    /** C compiler. */
    static final String COMPILER = "gcc";
    /** One header of each package: libc6-dev, linux-libc-dev, libibverbs-dev, librdmacm-dev. */
    private static final List<String> HEADERS =
        List.of("stdio.h", "rdma/ib_user_ioctl_cmds.h", "infiniband/verbs.h", "infiniband/ib.h");

    @Override
    String missing() {
        if (!isInstalled(COMPILER)) {
            return missing(COMPILER);
        }
        return HEADERS.stream().filter(header -> !Files.exists(Path.of("/usr/include", header))).findFirst()
            .map(CHeadersExtension::missing).orElse(null);
    }

    private static String missing(String what) {
        return what + " is not installed; interop-tests/lab/install installs what these tests need";
    }
}
