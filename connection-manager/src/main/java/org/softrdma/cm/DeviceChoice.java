// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

/**
 * Selection of the devices used for connections. Of several devices on an interface, the first one makes connections, and all of them
 * listen, unless the user selects devices by name.
 *
 * @param words names of devices, or {@code roce} or {@code iwarp} for all devices of that transport; empty for all devices
 */
record DeviceChoice(List<String> words) {
    /** Environment variable with the words, separated by commas. */
    static final String VARIABLE = "SOFTRDMA_CM_DEVICES";

    static DeviceChoice ofUser() {
        return parse(System.getenv(VARIABLE));
    }

    /**
     * Parses the environment variable.
     *
     * @param text null or empty for all devices
     */
    static DeviceChoice parse(String text) {
        return new DeviceChoice(text == null || text.isBlank() ? List.of() : List.of(text.strip().split("\\s*,\\s*")));
    }

    /**
     * Filters devices, in the order of the words.
     *
     * @throws VerbsException ENODEV: a word matches none of them
     */
    List<RdmaDevice> of(List<RdmaDevice> all) {
        if (words.isEmpty()) {
            return all;
        }
        Set<RdmaDevice> chosen = new LinkedHashSet<>();
        for (String word : words) {
            List<RdmaDevice> meant = all.stream().filter(device -> isMeant(device, word)).toList();
            if (meant.isEmpty()) {
                throw new VerbsException(Errno.ENODEV, "get_device_list",
                    VARIABLE + ": '" + word + "' is neither roce nor iwarp nor one of " + all.stream().map(RdmaDevice::name).toList());
            }
            chosen.addAll(meant);
        }
        return new ArrayList<>(chosen);
    }

    private static boolean isMeant(RdmaDevice device, String word) {
        return switch (word) {
            case "iwarp" -> device.transport() == Transport.IWARP;
            case "roce" -> device.transport() == Transport.INFINIBAND && !(device instanceof AddressedDevice);
            default -> device.name().equals(word);
        };
    }
}
