// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.List;
import org.softrdma.host.config.ConfiguredDevices;
import org.softrdma.host.config.LinkType;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsProvider;

/** Provides the configured rxe devices, or one for each interface that is up. */
public final class RxeProvider implements VerbsProvider {
    /** Creates the provider, as {@link java.util.ServiceLoader} does. */
    public RxeProvider() {
    }

    private static final LinkType TYPE = new RxeLinkType();

    @Override
    public String name() {
        return TYPE.name();
    }

    @Override
    public List<RdmaDevice> devices() {
        return Verbs.usesDaemon() ? List.of() : ConfiguredDevices.of(TYPE, RxeDevice::new);
    }
}
