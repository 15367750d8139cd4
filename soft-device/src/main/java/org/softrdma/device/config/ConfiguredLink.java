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
    /** The option that holds a link's congestion control, as {@link CongestionControl#parse} reads it. */
    public static final String CONGESTION_OPTION = "congestion";

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

    /**
     * What {@link #CONGESTION_OPTION} says.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL if it is not understood; links from a {@link LinkStore} are
     */
    public CongestionControl congestion() {
        String text = options.get(CONGESTION_OPTION);
        return text == null ? CongestionControl.NONE : CongestionControl.parse(text);
    }

    /** The same link with these faults. */
    public ConfiguredLink withFaults(LinkFaults faults) {
        return with(FAULT_OPTION, faults.isNone() ? null : faults.toString());
    }

    /** The same link with this congestion control. */
    public ConfiguredLink withCongestion(CongestionControl congestion) {
        return with(CONGESTION_OPTION, congestion.on() ? congestion.toString() : null);
    }

    private ConfiguredLink with(String option, String value) {
        Map<String, String> changed = new LinkedHashMap<>(options);
        if (value == null) {
            changed.remove(option);
        } else {
            changed.put(option, value);
        }
        return new ConfiguredLink(name, type, netdev, changed);
    }
}
