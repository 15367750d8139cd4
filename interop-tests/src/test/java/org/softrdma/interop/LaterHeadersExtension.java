// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

/** Condition of tests that need a C compiler and the headers of a later rdma-core, which {@code lab/build} fetches. */
final class LaterHeadersExtension extends RequirementExtension {
    @Override
    String missing() {
        String missing = new CHeadersExtension().missing();
        return missing != null ? missing : KernelLab.missing();
    }
}
