// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.softrdma.device.fault.LinkFaults;

/**
 * One device a user asked for: {@code rdma link add NAME type TYPE netdev NETDEV}.
 *
 * @param type    {@code rxe} or {@code siw}
 * @param netdev  name of the network interface beneath; it need not exist at the moment
 * @param options further words of the line, in order
 */
public record ConfiguredLink(String name, String type, String netdev, Map<String, String> options) {
    /** The option that holds a link's faults, as {@link LinkFaults#parse} reads them. */
    public static final String FAULT_OPTION = "fault";

    public ConfiguredLink {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }

    /**
     * What {@link #FAULT_OPTION} says.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL if it is not understood; links from a {@link LinkStore} are
     */
    public LinkFaults faults() {
        String text = options.get(FAULT_OPTION);
        return text == null ? LinkFaults.NONE : LinkFaults.parse(text);
    }

    /** The same link with these faults. */
    public ConfiguredLink withFaults(LinkFaults faults) {
        Map<String, String> changed = new LinkedHashMap<>(options);
        if (faults.isNone()) {
            changed.remove(FAULT_OPTION);
        } else {
            changed.put(FAULT_OPTION, faults.toString());
        }
        return new ConfiguredLink(name, type, netdev, changed);
    }
}
