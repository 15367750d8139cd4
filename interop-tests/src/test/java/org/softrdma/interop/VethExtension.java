// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.List;

/** Condition of tests on a {@link VethPair}. */
final class VethExtension extends RequirementExtension {
    private static final List<String> PROGRAMS = List.of("ip", "setpriv", "dumpcap", "tshark");

    @Override
    String missing() {
        if (!System.getProperty("os.name").equals("Linux") || !"root".equals(System.getProperty("user.name"))) {
            return "network namespaces need Linux and root";
        }
        for (String program : PROGRAMS) {
            if (!isInstalled(program)) {
                return program + " is not installed; interop-tests/lab/install installs what these tests need";
            }
        }
        return null;
    }
}
