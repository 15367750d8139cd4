// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

/** Condition of tests that need tshark. */
final class TsharkExtension extends RequirementExtension {
    @Override
    String missing() {
        return isInstalled("tshark") ? null : "tshark is not installed; interop-tests/lab/install installs what the lab needs";
    }
}
