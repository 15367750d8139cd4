// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.device.config.ConfiguredLink;
import org.softrdma.device.config.LinkStore;
import org.softrdma.device.config.NetDevice;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.spi.VerbsProvider;

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
        List<RdmaDevice> devices = new ArrayList<>();
        LinkStore store = LinkStore.open();
        List<ConfiguredLink> links = store.effectiveLinks();
        for (int index = 0; index < links.size(); index++) {
            ConfiguredLink link = links.get(index);
            NetDevice netdev = link.type().equals(TYPE) ? NetDevice.find(link.netdev()) : null;
            if (netdev != null) {
                devices.add(new RxeDevice(link, netdev, index, store));
            }
        }
        return devices;
    }
}
