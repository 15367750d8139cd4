// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.verbs.RdmaDevice;

/** The devices that a provider offers: one for each link of its type, if the network interface that the type may need exists. */
public final class ConfiguredDevices {
    private static final System.Logger LOG = System.getLogger(ConfiguredDevices.class.getName());
    /** Types already logged as unknown: one line per process, not one for each listing. */
    private static final Set<String> UNKNOWN_TYPES = ConcurrentHashMap.newKeySet();

    private ConfiguredDevices() {
    }

    /** Makes the device of a link. */
    public interface Maker {
        /**
         * Makes a device without opening it.
         *
         * @param netdev the interface; null for a type whose links are on none
         * @param index position among the links of all types
         * @param store the file that the link is from
         */
        RdmaDevice make(ConfiguredLink link, NetDevice netdev, int index, LinkStore store);
    }

    /**
     * Lists the devices of a type. Links of types whose provider is not installed are logged and count for the index only.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL, EACCES or EIO: the file cannot be read or understood
     */
    public static List<RdmaDevice> of(LinkType type, Maker maker) {
        List<RdmaDevice> devices = new ArrayList<>();
        LinkStore store = LinkStore.open();
        List<ConfiguredLink> links = store.linksOfAnyType();
        Map<String, NetDevice> netdevs = new HashMap<>();
        for (int index = 0; index < links.size(); index++) {
            ConfiguredLink link = links.get(index);
            if (LinkTypes.find(link.type()) == null && UNKNOWN_TYPES.add(link.type())) {
                LOG.log(System.Logger.Level.INFO, store.file() + ": links of type '" + link.type()
                    + "' ignored, no installed provider has that type; there are: " + String.join(", ", LinkTypes.names()));
            }
            if (link.type().equals(type.name()) && !type.isOnInterface()) {
                devices.add(maker.make(link, null, index, store));
            } else if (link.type().equals(type.name())) {
                // Found once for all links on it. Not computeIfAbsent: every tool runs this at its start, and a lambda costs.
                if (!netdevs.containsKey(link.netdev())) {
                    netdevs.put(link.netdev(), NetDevice.find(link.netdev()));
                }
                NetDevice netdev = netdevs.get(link.netdev());
                if (netdev != null) {
                    devices.add(maker.make(link, netdev, index, store));
                }
            }
        }
        return devices;
    }
}
