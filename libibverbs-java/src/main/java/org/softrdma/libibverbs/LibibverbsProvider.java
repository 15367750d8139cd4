// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.util.List;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsProvider;

/** Devices of the system's libibverbs; none where the library is not installed. */
public final class LibibverbsProvider implements VerbsProvider {
    /** Called by the service loader. */
    public LibibverbsProvider() {
    }

    @Override
    public String name() {
        return "libibverbs";
    }

    @Override
    public String origin() {
        return name();
    }

    @Override
    public List<RdmaDevice> devices() {
        return Libibverbs.isInstalled() ? List.copyOf(NativeDevice.list()) : List.of();
    }

    @Override
    public String missing() {
        return Libibverbs.isInstalled() ? null : Libibverbs.missing();
    }
}
