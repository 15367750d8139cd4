// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import java.util.List;
import org.softrdma.host.config.ConfiguredDevices;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.LinkType;
import org.softrdma.rxe.RxeOptions;
import org.softrdma.rxe.SubnetDevice;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsProvider;

/** Provides the configured devices at ports of fabrics. */
public final class FabricProvider implements VerbsProvider {
    private static final LinkType TYPE = new FabricLinkType();

    /** Creates the provider, as {@link java.util.ServiceLoader} does. */
    public FabricProvider() {
    }

    @Override
    public String name() {
        return TYPE.name();
    }

    @Override
    public List<RdmaDevice> devices() {
        return Verbs.usesDaemon() ? List.of() : ConfiguredDevices.of(TYPE, (link, netdev, index, store) -> device(link, index, store));
    }

    private static RdmaDevice device(ConfiguredLink link, int index, LinkStore store) {
        RxeOptions options = RxeOptions.DEFAULT.withFaults(link.get(RxeLinkType.FAULT)).withRecovery(link.get(RxeLinkType.RECOVERY))
            .withKeepAliveNs(link.get(RxeLinkType.KEEPALIVE)).withLimitedMemory(link.get(LinkOption.MEMLOCK))
            .withStrict(link.get(LinkOption.STRICT)).withRecordedEvents(link.get(LinkOption.RECORD));
        return new SubnetDevice(link.name(), index, store, options, FabricLinkType.port(link));
    }
}
