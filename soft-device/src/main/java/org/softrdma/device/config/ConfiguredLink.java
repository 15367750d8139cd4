// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One device a user asked for: {@code rdma link add NAME type TYPE netdev NETDEV}.
 *
 * @param type    {@code rxe} or {@code siw}
 * @param netdev  name of the network interface beneath; it need not exist at the moment
 * @param options further words of the line, in order
 */
public record ConfiguredLink(String name, String type, String netdev, Map<String, String> options) {
    public ConfiguredLink {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }
}
