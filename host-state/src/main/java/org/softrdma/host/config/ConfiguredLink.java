// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * One device a user configured: {@code rdma link add NAME type TYPE netdev NETDEV}, or without the last two words if links of the type are
 * on no network interface.
 *
 * @param type    name of a {@link LinkType}
 * @param netdev  name of the network interface beneath; it need not exist at the moment; empty for a link on none
 * @param options words of the line after these, value by option, in the order of the file
 */
public record ConfiguredLink(String name, String type, String netdev, Map<String, String> options) {
    public ConfiguredLink {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }

    /**
     * The value of an option.
     *
     * @return {@link LinkOption#usual()} if the link has none
     * @throws org.softrdma.verbs.VerbsException EINVAL if it is not understood, which links from a {@link LinkStore} rule out
     */
    public <T> T get(LinkOption<T> option) {
        String word = options.get(option.name());
        return word == null ? option.usual() : option.parse(word);
    }

    /** The same link with another value of an option; the usual value removes the option from the line. */
    public <T> ConfiguredLink with(LinkOption<T> option, T value) {
        Map<String, String> changed = new LinkedHashMap<>(options);
        if (Objects.equals(value, option.usual())) {
            changed.remove(option.name());
        } else {
            changed.put(option.name(), option.format(value));
        }
        return new ConfiguredLink(name, type, netdev, changed);
    }
}
