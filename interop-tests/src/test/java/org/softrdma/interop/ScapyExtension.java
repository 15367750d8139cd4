// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;

/** Condition of tests that need Scapy. */
final class ScapyExtension extends RequirementExtension {
    /** Debian's interpreter, which finds Debian's packages regardless of the PATH. */
    static final String PYTHON = "/usr/bin/python3";

    @Override
    String missing() {
        return isThere() ? null : "python3-scapy is not installed; interop-tests/lab/install installs what these tests need";
    }

    private static boolean isThere() {
        try {
            return new ProcessBuilder(PYTHON, "-c", "import scapy.contrib.roce").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (IOException | InterruptedException missing) {
            return false;
        }
    }
}
