// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.List;

/** Condition of tests with programs of the host, for any user on Linux. */
final class ProgramsExtension extends RequirementExtension {
    private final List<String> programs;

    ProgramsExtension(String... programs) {
        this.programs = List.of(programs);
    }

    @Override
    String missing() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return "these programs need Linux";
        }
        return missing(programs);
    }
}
