// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.List;
import org.softrdma.device.config.ConfiguredDevices;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsProvider;

/** The siw devices that are configured, or one for each interface that is up. */
public final class SiwProvider implements VerbsProvider {
    /** The type word of {@code rdma link add NAME type siw}. */
    public static final String TYPE = "siw";

    @Override
    public String name() {
        return TYPE;
    }

    @Override
    public List<RdmaDevice> devices() {
        return ConfiguredDevices.of(TYPE, SiwDevice::new);
    }
}
