// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One object on a device, in the terms of {@code rdma resource show}.
 *
 * @param attributes by that command's names, like {@code lqpn}, in its order; numbers are decimal, keys hexadecimal with 0x
 */
public record Resource(ResourceKind kind, Map<String, String> attributes) {
    public Resource {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
    }

    public static Resource of(ResourceKind kind) {
        return new Resource(kind, Map.of());
    }

    /** A copy with one more attribute. */
    public Resource with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(attributes);
        more.put(name, value);
        return new Resource(kind, more);
    }

    public Resource with(String name, long value) {
        return with(name, Long.toString(value));
    }

    /** A copy with a key, 32 bits. */
    public Resource withKey(String name, int key) {
        return with(name, "0x" + Integer.toHexString(key));
    }

    /** The value of an attribute; null if there is none. */
    public String attribute(String name) {
        return attributes.get(name);
    }
}
