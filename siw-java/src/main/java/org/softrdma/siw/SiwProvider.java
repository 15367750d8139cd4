// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.List;
import org.softrdma.host.config.ConfiguredDevices;
import org.softrdma.host.config.LinkType;
import org.softrdma.siw.config.SiwLinkType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsProvider;

/** Provides the configured siw devices, or one for each interface that is up. */
public final class SiwProvider implements VerbsProvider {
    private static final LinkType TYPE = new SiwLinkType();

    /** Creates the provider, as {@link java.util.ServiceLoader} does. */
    public SiwProvider() {
    }

    @Override
    public String name() {
        return TYPE.name();
    }

    @Override
    public List<RdmaDevice> devices() {
        return Verbs.usesDaemon() ? List.of() : ConfiguredDevices.of(TYPE, SiwDevice::new);
    }
}
