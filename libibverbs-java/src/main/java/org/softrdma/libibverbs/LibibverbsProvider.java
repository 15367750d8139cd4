// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.util.List;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsProvider;

/** Devices of the system's libibverbs; none where the library is not installed. */
public final class LibibverbsProvider implements VerbsProvider {
    /** Origin of the devices. */
    static final String ORIGIN = "libibverbs";

    /** Called by the service loader. */
    public LibibverbsProvider() {
    }

    @Override
    public String name() {
        return ORIGIN;
    }

    @Override
    public List<RdmaDevice> devices() {
        // The library is not loaded for nothing: that would cost every start of a program more than the rest.
        return NativeDevice.isAnyInSysfs() && Libibverbs.isInstalled() ? List.copyOf(NativeDevice.list()) : List.of();
    }

    @Override
    public String missing() {
        return Libibverbs.isInstalled() ? null : Libibverbs.missing();
    }
}
