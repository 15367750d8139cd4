// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

/**
 * Which devices connections are made by. Of several on an interface the first one has its connections, and all of them listen; a user who
 * wants it otherwise names devices.
 *
 * @param words names of devices, or {@code roce} or {@code iwarp} for all that speak that; none: all devices as they come
 */
record DeviceChoice(List<String> words) {
    /** Environment variable with the words, commas between them. */
    static final String VARIABLE = "SOFTRDMA_CM_DEVICES";

    static DeviceChoice ofUser() {
        return parse(System.getenv(VARIABLE));
    }

    /** @param text null or empty: no choice */
    static DeviceChoice parse(String text) {
        return new DeviceChoice(text == null || text.isBlank() ? List.of() : List.of(text.strip().split("\\s*,\\s*")));
    }

    /**
     * The chosen ones of these, in the order of the words.
     *
     * @throws VerbsException ENODEV: a word stands for none of them
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
            case "roce" -> device.transport() == Transport.INFINIBAND;
            default -> device.name().equals(word);
        };
    }
}
