// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.List;
import org.softrdma.device.config.ConfiguredDevices;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsProvider;

/** The rxe devices that are configured, or one for each interface that is up. */
public final class RxeProvider implements VerbsProvider {
    /** The type word of {@code rdma link add NAME type rxe}. */
    public static final String TYPE = "rxe";

    @Override
    public String name() {
        return TYPE;
    }

    @Override
    public List<RdmaDevice> devices() {
        return ConfiguredDevices.of(TYPE, RxeDevice::new);
    }
}
