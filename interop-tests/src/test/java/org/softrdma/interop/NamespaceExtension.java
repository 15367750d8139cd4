// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.List;

/** Condition of tests on network namespaces of their own: Linux, root, and certain programs. */
class NamespaceExtension extends RequirementExtension {
    private final List<String> programs;

    NamespaceExtension(String... programs) {
        this.programs = List.of(programs);
    }

    @Override
    String missing() {
        if (!System.getProperty("os.name").equals("Linux") || !"root".equals(System.getProperty("user.name"))) {
            return "network namespaces need Linux and root";
        }
        return missing(programs);
    }
}
