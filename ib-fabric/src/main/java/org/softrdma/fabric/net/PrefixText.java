// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.softrdma.fabric.ipoib.Prefix;
import org.softrdma.verbs.Gid;

/** The form in which people write an address with the length of its subnet: {@code 10.9.0.1/24}, {@code fd09::1/64}. */
public final class PrefixText {
    private PrefixText() {
    }

    /**
     * Reads it. Names of hosts are not looked up.
     *
     * @throws IllegalArgumentException the text has another form
     */
    public static Prefix parse(String text) {
        String[] parts = text.split("/", 2);
        if (parts.length != 2 || !parts[0].matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*") || !parts[1].matches("\\d{1,3}")) {
            throw new IllegalArgumentException("'" + text + "' has no form like 10.9.0.1/24");
        }
        try {
            return new Prefix(Gid.of(InetAddress.getByName(parts[0])), Integer.parseInt(parts[1]));
        } catch (UnknownHostException none) {
            throw new IllegalArgumentException("'" + parts[0] + "' is no address", none);
        }
    }

    /** {@return the text that {@link #parse} reads} */
    public static String of(Prefix prefix) {
        return prefix.address().toInetAddress().getHostAddress() + "/" + prefix.length();
    }
}
