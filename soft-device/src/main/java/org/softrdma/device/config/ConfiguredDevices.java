// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.RdmaDevice;

/** The devices a provider offers: of all links those of its type, whose interface is there. */
public final class ConfiguredDevices {
    private ConfiguredDevices() {
    }

    /** Makes a device of a link. */
    public interface Maker {
        /** @param index position among all links, of whatever type. @param store where the link is from */
        RdmaDevice make(ConfiguredLink link, NetDevice netdev, int index, LinkStore store);
    }

    /** @param type the type word of {@code rdma link add} */
    public static List<RdmaDevice> of(String type, Maker maker) {
        List<RdmaDevice> devices = new ArrayList<>();
        LinkStore store = LinkStore.open();
        List<ConfiguredLink> links = store.effectiveLinks();
        for (int index = 0; index < links.size(); index++) {
            ConfiguredLink link = links.get(index);
            NetDevice netdev = link.type().equals(type) ? NetDevice.find(link.netdev()) : null;
            if (netdev != null) {
                devices.add(maker.make(link, netdev, index, store));
            }
        }
        return devices;
    }
}
